package io.quorate.torture.invariants;

import io.quorate.torture.history.Action;
import io.quorate.torture.history.Operation;
import io.quorate.torture.history.Outcome;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Invariants of keys that are only appended to and read, where all suffixes differ and each ends
 * with a character that occurs nowhere else in them: no element is observed twice, none is observed
 * that was not appended, none is missing whose append had completed before, and of two values one
 * is a prefix of the other.
 */
final class AppendedElements {
  private final String key;
  private final Map<String, Operation> appends;
  private final List<Observation> observations;
  private final char end;
  private final List<Finding> findings = new ArrayList<>();

  private AppendedElements(
      String key, Map<String, Operation> appends, List<Observation> observations, char end) {
    this.key = key;
    this.appends = appends;
    this.observations = observations;
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
      } else if (!operation.action().isRead()) {
        return List.of();
      }
    }
    return ends.size() == 1
        ? new AppendedElements(
                key, appends, Observation.of(key, operations), ends.iterator().next())
            .findings()
        : List.of();
  }

  private List<Finding> findings() {
    for (Observation observation : observations) {
      checkElements(observation);
    }
    List<Observation> byLength =
        observations.stream().sorted(Comparator.comparingInt(one -> text(one).length())).toList();
    for (int i = 1; i < byLength.size(); i++) {
      if (!text(byLength.get(i)).startsWith(text(byLength.get(i - 1)))) {
        add(
            "two observed values of which neither is a prefix of the other",
            byLength.get(i - 1),
            byLength.get(i).operation());
      }
    }
    return findings;
  }

  private void checkElements(Observation observation) {
    Set<String> elements = new HashSet<>();
    String text = text(observation);
    int start = 0;
    while (start < text.length()) {
      int after = text.indexOf(end, start) + 1;
      String element = text.substring(start, after == 0 ? text.length() : after);
      Operation append = appends.get(element);
      if (append == null) {
        add("an element was observed that was never appended", observation);
      } else if (append.outcome() instanceof Outcome.Failed) {
        add("an element was observed whose append had failed", observation, append);
      } else if (append.invokedNanos() > observation.operation().completedNanos()) {
        add("an element was observed before its append was invoked", observation, append);
      } else if (!elements.add(element)) {
        add("an element was observed twice", observation, append);
      }
      start += element.length();
    }
    appends.forEach(
        (element, append) -> {
          if (append.outcome() instanceof Outcome.Ok
              && append.completedNanos() < observation.operation().invokedNanos()
              && !elements.contains(element)) {
            add("an element is missing whose append had completed", observation, append);
          }
        });
  }

  private void add(String what, Observation observation, Operation... others) {
    List<Operation> operations = new ArrayList<>(List.of(others));
    operations.add(observation.operation());
    findings.add(new Finding(key, what, operations));
  }

  private static String text(Observation observation) {
    return observation.value().orElse("");
  }
}
