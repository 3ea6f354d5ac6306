package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** What regions in use should cost at most, beside what they cost. Without side effects. */
final class GrowthAims {
  static final String EXPERIMENT = "growth-aims";

  private static final String RAFT = "raft";
  private static final String ACQR = "acqr";
  private static final int FEW = 64;
  private static final int MANY = 1024;
  private static final int BUSY = 16;

  /**
   * An aim.
   *
   * @param clients their number, or 0 for the fill
   * @param limit of the figure, or of its ratio to one region
   */
  private record Aim(
      String preset,
      int regions,
      CallKind kind,
      int clients,
      Metric metric,
      Statistic statistic,
      double limit) {}

  private enum Statistic {
    RATIO_AT_LEAST("at least %s of one region"),
    RATIO_AT_MOST("at most %s of one region"),
    AT_MOST("at most %s");

    private final String text;

    Statistic(String text) {
      this.text = text;
    }

    boolean isMet(double value, double limit) {
      return this == RATIO_AT_LEAST ? value >= limit : value <= limit;
    }
  }

  private static final List<Aim> ALL =
      List.of(
          throughput(RAFT, CallKind.PUT, FEW, 0.5),
          throughput(RAFT, CallKind.PUT, MANY, 0.8),
          throughput(ACQR, CallKind.PUT, FEW, 0.5),
          throughput(ACQR, CallKind.PUT, MANY, 0.8),
          throughput(RAFT, CallKind.GET, FEW, 0.7),
          throughput(RAFT, CallKind.GET, MANY, 0.95),
          atMost(BUSY, FEW, Metric.SWITCHES_PER_CALL, 8),
          atMost(BUSY, FEW, Metric.CPU_PER_CALL, 280),
          // One log a node: as many fsyncs as with one region, within what measurements scatter.
          new Aim(
              RAFT, BUSY, CallKind.PUT, FEW, Metric.SYNCS_PER_SECOND, Statistic.RATIO_AT_MOST, 1.2),
          atMost(1, 0, Metric.WRITTEN_PER_BYTE, 2.4),
          atMost(BUSY, 0, Metric.WRITTEN_PER_BYTE, 2.4));

  private GrowthAims() {}

  private static Aim throughput(String preset, CallKind kind, int clients, double limit) {
    return new Aim(preset, BUSY, kind, clients, Metric.THROUGHPUT, Statistic.RATIO_AT_LEAST, limit);
  }

  private static Aim atMost(int regions, int clients, Metric metric, double limit) {
    return new Aim(RAFT, regions, CallKind.PUT, clients, metric, Statistic.AT_MOST, limit);
  }

  /** A measured aim. */
  private record Outcome(Aim aim, Case load, SystemUnderTest system, Rounds rounds) {
    boolean isMet() {
      return aim.statistic().isMet(rounds.median(), aim.limit());
    }
  }

  private static List<Outcome> outcomes(List<MeasuredPart> parts) {
    List<Outcome> outcomes = new ArrayList<>();
    for (Aim aim : ALL) {
      parts.forEach(part -> outcome(aim, part).ifPresent(outcomes::add));
    }
    return outcomes;
  }

  /** Empty if this part did not measure it. */
  private static Optional<Outcome> outcome(Aim aim, MeasuredPart part) {
    Optional<SystemUnderTest> system = part.busy(aim.regions());
    Optional<SystemUnderTest> one = part.busy(1);
    Optional<Case> load =
        aim.clients() == 0
            ? part.results().cases(GrowthLoads.FILL).stream().findFirst()
            : part.load(GrowthLoads.ALL_IN_USE, aim.kind(), aim.clients());
    if (!part.preset().equals(aim.preset())
        || system.isEmpty()
        || one.isEmpty()
        || load.isEmpty()) {
      return Optional.empty();
    }
    Optional<Rounds> rounds =
        aim.statistic() == Statistic.AT_MOST
            ? part.results().of(load.get(), system.get(), aim.metric())
            : part.results().ratios(load.get(), system.get(), one.get(), aim.metric());
    return rounds.map(each -> new Outcome(aim, load.get(), system.get(), each));
  }

  /** A line for each aim that was measured, with the median and the range of the rounds. */
  static TextTable table(List<MeasuredPart> parts) {
    TextTable table = TextTable.ofFigures("aim", "wished for", "measured", "verdict", "rounds");
    for (Outcome each : outcomes(parts)) {
      table.add(
          each.system() + ", " + each.load().load().name() + ": " + each.aim().metric().label(),
          String.format(Locale.ROOT, each.aim().statistic().text, number(each.aim().limit())),
          number(each.rounds().median()),
          each.isMet() ? "met" : "missed",
          number(each.rounds().min()) + " to " + number(each.rounds().max()));
    }
    return table;
  }

  private static String number(double value) {
    return String.format(Locale.ROOT, value >= 100 ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
  }

  /** Whether each aim that was measured is met, for programs. */
  static List<Row> rows(List<MeasuredPart> parts) {
    return outcomes(parts).stream()
        .map(
            each ->
                new Row(
                    EXPERIMENT,
                    each.load().name(),
                    each.system().name(),
                    each.aim().metric().label() + "-met",
                    each.isMet() ? 1 : 0,
                    "1 if it is met"))
        .toList();
  }
}
