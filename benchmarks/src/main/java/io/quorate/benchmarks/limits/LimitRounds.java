package io.quorate.benchmarks.limits;

import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The limits of the machine in all rounds of a run. Not thread-safe. */
public final class LimitRounds {
  private static final String MACHINE = "machine";
  private static final String SPREAD = "-spread";
  private static final double PERCENT = 100;
  private static final double MANY = 100;

  private final Map<Limit, List<Double>> values = new EnumMap<>(Limit.class);

  /** Adds the limits of the next round. */
  public void add(Map<Limit, Double> round) {
    round.forEach(
        (limit, value) -> values.computeIfAbsent(limit, absent -> new ArrayList<>()).add(value));
  }

  /** One limit; empty if it was not measured. */
  public Optional<Rounds> of(Limit limit) {
    return Optional.ofNullable(values.get(limit)).map(Rounds::new);
  }

  /** Two rows for each limit: the median of the rounds, and their spread. */
  public List<Row> rows(String experiment) {
    List<Row> rows = new ArrayList<>();
    for (Limit limit : values.keySet()) {
      Rounds rounds = of(limit).orElseThrow();
      rows.add(row(experiment, limit.label(), rounds.median(), limit.unit()));
      rows.add(
          row(experiment, limit.label() + SPREAD, rounds.spread() * PERCENT, "% of the median"));
    }
    return rows;
  }

  private static Row row(String experiment, String metric, double value, String unit) {
    return new Row(experiment, "all", MACHINE, metric, value, unit);
  }

  /** A line for each limit; without lines if nothing was measured. */
  public TextTable table() {
    TextTable table = TextTable.ofFigures("limit", "median", "spread", "unit");
    for (Limit limit : values.keySet()) {
      Rounds rounds = of(limit).orElseThrow();
      table.add(
          limit.label(),
          text(rounds.median()),
          String.format(Locale.ROOT, "%.0f %%", rounds.spread() * PERCENT),
          limit.unit());
    }
    return table;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, value < MANY ? "%.3f" : "%.0f", value);
  }
}
