package io.quorate.benchmarks.paper;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/** What was measured so far. For use by one thread. */
public final class Results {
  private record Cell(Case measured, Contender contender) {}

  private final Map<Cell, List<Map<Metric, Double>>> cells = new LinkedHashMap<>();

  /**
   * Adds what the next round saw; metrics without a value are those that the load does not have.
   */
  public void add(Case measured, Contender contender, Map<Metric, Double> seen) {
    cells
        .computeIfAbsent(new Cell(measured, contender), absent -> new ArrayList<>())
        .add(Map.copyOf(seen));
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
    return rounds(
        seen(measured, contender).stream()
            .map(round -> round.get(metric))
            .filter(Objects::nonNull)
            .toList());
  }

  /**
   * One contender over another, round by round: in a round they have their turns one directly after
   * the other, so that what else the machine did then concerns both. Empty if no round has both, or
   * the other is 0 in all of them.
   */
  public Optional<Rounds> ratios(
      Case measured, Contender contender, Contender baseline, Metric metric) {
    List<Map<Metric, Double>> own = seen(measured, contender);
    List<Map<Metric, Double>> other = seen(measured, baseline);
    List<Double> ratios = new ArrayList<>();
    for (int round = 0; round < Math.min(own.size(), other.size()); round++) {
      Double above = own.get(round).get(metric);
      Double below = other.get(round).get(metric);
      if (above != null && below != null && below != 0) {
        ratios.add(above / below);
      }
    }
    return rounds(ratios);
  }

  /** The median of the ratios; empty if there are none. */
  public OptionalDouble ratio(
      Case measured, Contender contender, Contender baseline, Metric metric) {
    return ratios(measured, contender, baseline, metric).stream()
        .mapToDouble(Rounds::median)
        .findFirst();
  }

  /** How many rounds the load with the fewest has; 0 before anything was measured. */
  public int roundsLeast() {
    return cells.values().stream().mapToInt(List::size).min().orElse(0);
  }

  private List<Map<Metric, Double>> seen(Case measured, Contender contender) {
    return cells.getOrDefault(new Cell(measured, contender), List.of());
  }

  private static Optional<Rounds> rounds(List<Double> values) {
    return values.isEmpty() ? Optional.empty() : Optional.of(new Rounds(values));
  }
}
