package io.quorate.server.verification.checker;

import io.quorate.server.verification.history.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Tells where a search got stuck, for people. */
final class Explanation {
  private static final int PLACED_SHOWN = 6;
  private static final int UNPLACEABLE_SHOWN = 16;

  private final Problem problem;
  private final Cells cells;
  private final Configuration configuration;

  /** Explains from the farthest configuration; leaves another one there. */
  Explanation(Problem problem, Cells cells, Configuration configuration) {
    this.problem = problem;
    this.cells = cells;
    this.configuration = configuration;
  }

  static Verdict.Violation ofImpossible(Problem problem, Call call) {
    Operation operation = call.operation();
    return new Verdict.Violation(
        problem.keys(),
        List.of(),
        List.of(operation),
        "Keys "
            + problem.keys()
            + ": nothing that was written, and is not known to have failed, can have been met by\n"
            + new Timeline(List.of(operation), List.of()).line(operation, ""));
  }

  /**
   * Explains by a few calls that stand for all.
   *
   * @param prefix the longest order that was found
   * @param stuck what there is to say about where the search got stuck, if anything
   */
  static Verdict.Violation ofContradiction(
      Problem problem,
      List<Operation> prefix,
      TimeBounds.Contradiction contradiction,
      String stuck) {
    List<Operation> operations = contradiction.calls().stream().map(Call::operation).toList();
    Timeline timeline = new Timeline(operations, List.of());
    StringBuilder text = new StringBuilder();
    text.append("Keys ").append(problem.keys()).append(": no order is possible of\n");
    operations.forEach(operation -> text.append(timeline.line(operation, "")));
    text.append("given when they and others on these keys can have taken effect. ");
    text.append(prefix.size()).append(" of the ").append(problem.calls().size());
    text.append(" operations that matter could be placed.\n").append(stuck);
    return new Verdict.Violation(problem.keys(), prefix, operations, text.toString());
  }

  Verdict.Violation violation() {
    List<Operation> placed = configuration.operations();
    List<Operation> last = placed.subList(Math.max(0, placed.size() - PLACED_SHOWN), placed.size());
    String found = found();
    Map<Operation, String> reasons = new LinkedHashMap<>();
    for (int call : configuration.underWay()) {
      reasons.put(problem.calls().get(call).operation(), reason(call));
    }
    Timeline timeline = new Timeline(last, reasons.keySet());
    StringBuilder text = new StringBuilder();
    text.append("Keys ").append(problem.keys()).append(": no order explains the ");
    text.append(problem.calls().size()).append(" operations that matter. ");
    text.append(placed.size()).append(" of them can be placed");
    text.append(last.isEmpty() ? ".\n" : ", at the end:\n");
    last.forEach(operation -> text.append(timeline.line(operation, "")));
    text.append("Then there is ").append(found).append(", and none of these can be next:\n");
    reasons.entrySet().stream()
        .limit(UNPLACEABLE_SHOWN)
        .forEach(entry -> text.append(timeline.line(entry.getKey(), entry.getValue())));
    if (reasons.size() > UNPLACEABLE_SHOWN) {
      text.append("  and ").append(reasons.size() - UNPLACEABLE_SHOWN).append(" more\n");
    }
    return new Verdict.Violation(
        problem.keys(), placed, List.copyOf(reasons.keySet()), text.toString());
  }

  private String found() {
    List<String> rows = new ArrayList<>();
    for (int key = 0; key < problem.keys().size(); key++) {
      rows.add(problem.keys().get(key) + " = " + shown(configuration.value(key)));
    }
    return String.join(", ", rows);
  }

  private String reason(int call) {
    for (Access access : problem.calls().get(call).accesses()) {
      int value = configuration.value(access.key());
      if (access.after(value, problem.values()) == Values.NONE) {
        return "does not meet this";
      }
    }
    int size = configuration.size();
    int[] before = configuration.state();
    boolean hopeful = configuration.place(call);
    String reason = hopeful ? "tried, in vain" : objection(problem.calls().get(call), before);
    configuration.takeBack(size, before);
    return reason;
  }

  /** Who stands against the call that was just placed. */
  private String objection(Call call, int[] before) {
    for (Access access : call.accesses()) {
      int key = access.key();
      if (configuration.outlook().isMissed(key, before[key])) {
        return "but " + finder(key, before[key]) + " must meet what is there";
      }
      Optional<Integer> end = configuration.outlook().endOf(key, configuration.value(key));
      if (end.isPresent()) {
        return "but " + finder(key, configuration.value(key)) + " comes after " + name(end.get());
      }
    }
    return "but it is too much for one that must come later";
  }

  /** The last of those that can only meet this value. */
  private String finder(int key, int value) {
    return cells.soleObservers(cells.of(key, value)).stream()
        .filter(observer -> !configuration.pending().isPlaced(observer))
        .max(Comparator.comparingLong(observer -> problem.calls().get(observer).invoked()))
        .map(this::name)
        .orElseThrow();
  }

  private String name(int call) {
    return "#" + problem.calls().get(call).operation().id();
  }

  private String shown(int value) {
    Optional<String> text = problem.values().text(value);
    return text.map(some -> some.length() > 60 ? "..." + some.substring(some.length() - 60) : some)
        .map(some -> '"' + some + '"')
        .orElse("nothing");
  }
}
