package io.quorate.benchmarks.paper.result;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalDouble;

/** The measurements so far. Not thread-safe. */
public final class Results {
  private record Cell(Case measured, SystemUnderTest contender) {}

  private final Map<Cell, List<Map<Metric, Double>>> cells = new LinkedHashMap<>();
  private final Map<Cell, List<Double>> series = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();

  /** Adds the figures of the next round; metrics that do not apply to the load have no value. */
  public void add(Case measured, SystemUnderTest contender, Map<Metric, Double> figures) {
    cells
        .computeIfAbsent(new Cell(measured, contender), absent -> new ArrayList<>())
        .add(Map.copyOf(figures));
  }

  /** Adds the throughput of each second of a measurement, unless there is one of the same. */
  public void addSeries(Case measured, SystemUnderTest contender, List<Double> throughputBySecond) {
    series.putIfAbsent(new Cell(measured, contender), List.copyOf(throughputBySecond));
  }

  /** The throughput of each second of the first measurement; empty if it was not recorded. */
  public List<Double> series(Case measured, SystemUnderTest contender) {
    return series.getOrDefault(new Cell(measured, contender), List.of());
  }

  /**
   * Adds a failure that ended some measurements early.
   *
   * @param failure a sentence with the measurements and the reason
   */
  public void addFailure(String failure) {
    failures.add(failure);
  }

  /** A sentence for each failure that ended measurements early. */
  public List<String> failures() {
    return List.copyOf(failures);
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
  public Optional<Rounds> of(Case measured, SystemUnderTest contender, Metric metric) {
    return rounds(
        figures(measured, contender).stream()
            .map(round -> round.get(metric))
            .filter(Objects::nonNull)
            .toList());
  }

  /**
   * The ratios of one system to another, round by round. A round measures both directly after each
   * other, so that other load on the machine affects both. Empty if no round has both, or the other
   * is 0 in all of them.
   */
  public Optional<Rounds> ratios(
      Case measured, SystemUnderTest contender, SystemUnderTest baseline, Metric metric) {
    List<Map<Metric, Double>> own = figures(measured, contender);
    List<Map<Metric, Double>> other = figures(measured, baseline);
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
      Case measured, SystemUnderTest contender, SystemUnderTest baseline, Metric metric) {
    return ratios(measured, contender, baseline, metric).stream()
        .mapToDouble(Rounds::median)
        .findFirst();
  }

  /** The minimum number of rounds of all loads; 0 before any measurement. */
  public int roundsMin() {
    return cells.values().stream().mapToInt(List::size).min().orElse(0);
  }

  /** The minimum number of rounds of the systems of one load; 0 if none was measured. */
  public int roundsMin(Case measured) {
    return measured.contenders().stream()
        .mapToInt(each -> figures(measured, each).size())
        .filter(rounds -> rounds > 0)
        .min()
        .orElse(0);
  }

  private List<Map<Metric, Double>> figures(Case measured, SystemUnderTest contender) {
    return cells.getOrDefault(new Cell(measured, contender), List.of());
  }

  private static Optional<Rounds> rounds(List<Double> values) {
    return values.isEmpty() ? Optional.empty() : Optional.of(new Rounds(values));
  }
}
