package io.quorate.server.verification.invariants;

import io.quorate.server.verification.history.Action;
import io.quorate.server.verification.history.Operation;
import io.quorate.server.verification.history.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Of keys that are only appended to and read, where all suffixes differ and each ends with a
 * character that is nowhere else in them: no element is seen twice, none that was not appended,
 * none is missing whose append was over before, and of two values one begins with the other.
 */
final class AppendedElements {
  private final String key;
  private final Map<String, Operation> appends;
  private final List<Seen> seen;
  private final char end;
  private final List<Finding> findings = new ArrayList<>();

  private AppendedElements(String key, Map<String, Operation> appends, List<Seen> seen, char end) {
    this.key = key;
    this.appends = appends;
    this.seen = seen;
    this.end = end;
  }

  static List<Finding> findings(String key, List<Operation> operations) {
    Map<String, Operation> appends = new HashMap<>();
    Set<Character> ends = new HashSet<>();
    for (Operation operation : operations) {
      if (operation.action() instanceof Action.Append append) {
        String suffix = append.suffix();
        if (suffix.isEmpty()
            || suffix.indexOf(suffix.charAt(suffix.length() - 1)) < suffix.length() - 1
            || appends.put(suffix, operation) != null) {
          return List.of();
        }
        ends.add(suffix.charAt(suffix.length() - 1));
      } else if (!(operation.action() instanceof Action.Get
          || operation.action() instanceof Action.Scan)) {
        return List.of();
      }
    }
    return ends.size() == 1
        ? new AppendedElements(key, appends, Seen.of(key, operations), ends.iterator().next())
            .findings()
        : List.of();
  }

  private List<Finding> findings() {
    for (Seen one : seen) {
      checkElements(one);
    }
    List<Seen> byLength =
        seen.stream().sorted(Comparator.comparingInt(one -> text(one).length())).toList();
    for (int i = 1; i < byLength.size(); i++) {
      if (!text(byLength.get(i)).startsWith(text(byLength.get(i - 1)))) {
        add(
            "two values were seen that cannot follow each other",
            byLength.get(i - 1),
            byLength.get(i).operation());
      }
    }
    return findings;
  }

  private void checkElements(Seen one) {
    Set<String> elements = new HashSet<>();
    String text = text(one);
    int start = 0;
    while (start < text.length()) {
      int after = text.indexOf(end, start) + 1;
      String element = text.substring(start, after == 0 ? text.length() : after);
      Operation append = appends.get(element);
      if (append == null) {
        add("something was seen that nobody appended", one);
      } else if (append.outcome() instanceof Outcome.Failed) {
        add("an element was seen whose append had failed", one, append);
      } else if (append.invokedNanos() > one.operation().completedNanos()) {
        add("an element was seen before its append began", one, append);
      } else if (!elements.add(element)) {
        add("an element was seen twice", one, append);
      }
      start += element.length();
    }
    appends.forEach(
        (element, append) -> {
          if (append.outcome() instanceof Outcome.Ok
              && append.completedNanos() < one.operation().invokedNanos()
              && !elements.contains(element)) {
            add("an element is missing whose append was over", one, append);
          }
        });
  }

  private void add(String what, Seen one, Operation... others) {
    List<Operation> operations = new ArrayList<>(List.of(others));
    operations.add(one.operation());
    findings.add(new Finding(key, what, operations));
  }

  private static String text(Seen one) {
    return one.value().orElse("");
  }
}
