package io.quorate.benchmarks.paper;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/** What was measured so far. For use by one thread. */
public final class Results {
  private record Cell(Case measured, Contender contender) {}

  private final Map<Cell, Map<Metric, List<Double>>> cells = new LinkedHashMap<>();

  /** Adds what one round saw; metrics without a value are those that the load does not have. */
  public void add(Case measured, Contender contender, Map<Metric, Double> seen) {
    Map<Metric, List<Double>> cell =
        cells.computeIfAbsent(new Cell(measured, contender), absent -> new EnumMap<>(Metric.class));
    seen.forEach(
        (metric, value) -> cell.computeIfAbsent(metric, absent -> new ArrayList<>()).add(value));
  }

  /** Every case, in the order in which they were first measured. */
  public List<Case> cases() {
    return cells.keySet().stream().map(Cell::measured).distinct().toList();
  }

  /** The cases of one experiment, in the same order. */
  public List<Case> cases(String experiment) {
    return cases().stream().filter(each -> each.experiment().equals(experiment)).toList();
  }

  /** One figure; empty if it was not measured. */
  public Optional<Rounds> of(Case measured, Contender contender, Metric metric) {
    return Optional.ofNullable(cells.get(new Cell(measured, contender)))
        .map(cell -> cell.get(metric))
        .map(Rounds::new);
  }

  /** The median of one contender over that of another; empty if there are not both, or it is 0. */
  public OptionalDouble ratio(
      Case measured, Contender contender, Contender baseline, Metric metric) {
    Optional<Rounds> own = of(measured, contender, metric);
    Optional<Rounds> other = of(measured, baseline, metric);
    return own.isEmpty() || other.isEmpty() || other.get().median() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(own.get().median() / other.get().median());
  }

  /** How many rounds the figure with the fewest has; 0 before anything was measured. */
  public int roundsLeast() {
    return cells.values().stream()
        .map(cell -> cell.get(Metric.THROUGHPUT))
        .filter(Objects::nonNull)
        .mapToInt(List::size)
        .min()
        .orElse(0);
  }
}
