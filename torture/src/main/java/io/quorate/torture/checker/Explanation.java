package io.quorate.torture.checker;

import io.quorate.torture.history.Operation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Describes in text where a search failed. */
final class Explanation {
  private static final int PLACED_SHOWN = 6;
  private static final int UNPLACEABLE_SHOWN = 16;

  private final Problem problem;
  private final Cells cells;
  private final Configuration configuration;

  /**
   * @param configuration the configuration with the longest order, which {@link #violation} changes
   */
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
            + ": no operation that can have taken effect wrote a value which this one observed:\n"
            + new Timeline(List.of(operation), List.of()).line(operation, ""));
  }

  /**
   * Explains by a few calls that have no order among themselves.
   *
   * @param prefix the longest order that was found
   * @param stuck a description of where the search failed; may be empty
   */
  static Verdict.Violation ofContradiction(
      Problem problem,
      List<Operation> prefix,
      TimeBounds.Contradiction contradiction,
      String stuck) {
    List<Operation> operations = contradiction.calls().stream().map(Call::operation).toList();
    Timeline timeline = new Timeline(operations, List.of());
    StringBuilder text = new StringBuilder();
    text.append("Keys ").append(problem.keys()).append(": there is no order of\n");
    operations.forEach(operation -> text.append(timeline.line(operation, "")));
    text.append("within the times at which these and other operations can have taken effect. ");
    text.append(prefix.size()).append(" of ").append(problem.calls().size());
    text.append(" relevant operations could be placed.\n").append(stuck);
    return new Verdict.Violation(problem.keys(), prefix, operations, text.toString());
  }

  Verdict.Violation violation() {
    List<Operation> placed = configuration.operations();
    List<Operation> last = placed.subList(Math.max(0, placed.size() - PLACED_SHOWN), placed.size());
    String values = values();
    Map<Operation, String> reasons = new LinkedHashMap<>();
    for (int call : configuration.candidates()) {
      reasons.put(problem.calls().get(call).operation(), reason(call));
    }
    Timeline timeline = new Timeline(last, reasons.keySet());
    StringBuilder text = new StringBuilder();
    text.append("Keys ").append(problem.keys()).append(": no order explains the ");
    text.append(problem.calls().size()).append(" relevant operations. ");
    text.append(placed.size()).append(" of them can be placed");
    text.append(last.isEmpty() ? ".\n" : ", the last ones being:\n");
    last.forEach(operation -> text.append(timeline.line(operation, "")));
    text.append("Then the state is ").append(values).append("; none of these can be next:\n");
    reasons.entrySet().stream()
        .limit(UNPLACEABLE_SHOWN)
        .forEach(entry -> text.append(timeline.line(entry.getKey(), entry.getValue())));
    if (reasons.size() > UNPLACEABLE_SHOWN) {
      text.append("  and ").append(reasons.size() - UNPLACEABLE_SHOWN).append(" more\n");
    }
    return new Verdict.Violation(
        problem.keys(), placed, List.copyOf(reasons.keySet()), text.toString());
  }

  private String values() {
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
        return "observed another value";
      }
    }
    int size = configuration.size();
    int[] before = configuration.state();
    boolean viable = configuration.place(call);
    String reason =
        viable ? "tried without success" : contradiction(problem.calls().get(call), before);
    configuration.takeBack(size, before);
    return reason;
  }

  /** The reason why not all remaining calls can follow the call that was just placed. */
  private String contradiction(Call call, int[] before) {
    for (Access access : call.accesses()) {
      int key = access.key();
      if (configuration.constraints().isLost(key, before[key])) {
        return "but " + lastObserver(key, before[key]) + " must observe the present value";
      }
      Optional<Integer> end = configuration.constraints().earlyEnd(key, configuration.value(key));
      if (end.isPresent()) {
        String observer = lastObserver(key, configuration.value(key));
        return "but " + observer + " observed this value and comes after " + name(end.get());
      }
    }
    return "but a later operation observed an earlier value";
  }

  /** The last-invoked remaining call that can observe only this value. */
  private String lastObserver(int key, int value) {
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
