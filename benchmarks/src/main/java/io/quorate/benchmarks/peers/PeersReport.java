package io.quorate.benchmarks.peers;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.Curves;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.peers.contender.Contender;
import io.quorate.benchmarks.peers.run.AgainstFirst;
import io.quorate.benchmarks.peers.run.Measured;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.Row;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The tables, rows, plots and notes of a comparison. Without side effects. */
final class PeersReport {
  static final String NAME = "peers";
  static final String TITLE = "Quorate and other databases";

  private static final String CONTENDERS = "peers-contenders";
  private static final String LATENCIES = "peers-latency";
  private static final String LIMITS = "peers-limits";

  private static final List<Column> COLUMNS =
      List.of(
          Column.count("ops/s", Metric.THROUGHPUT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.millis("get p50 ms", Metric.READ_P50),
          Column.ratio(Metric.READ_P50),
          Column.millis("p99", Metric.READ_P99),
          Column.millis("put p50 ms", Metric.WRITE_P50),
          Column.ratio(Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.count("CPU µs/call", Metric.CPU_PER_CALL),
          Column.ratio(Metric.CPU_PER_CALL),
          Column.count("CPU %", Metric.CPU),
          Column.count("floor %", Metric.LATENCY_FLOOR),
          Column.count("cores %", Metric.CORES),
          Column.count("disk %", Metric.DISK_BANDWIDTH),
          Column.count("errors", Metric.ERRORS));

  private final List<Contender> contenders;
  private final PeersScale scale;
  private final Measured measured;

  /**
   * @param contenders all that were to be measured
   */
  PeersReport(List<Contender> contenders, PeersScale scale, Measured measured) {
    this.contenders = List.copyOf(contenders);
    this.scale = scale;
    this.measured = measured;
  }

  /** What a reader needs to judge the figures, a sentence or a few each. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    RunPlan plan = scale.plan();
    notes.add(measured.method(plan));
    notes.add(
        "All contenders ran at the same time on this machine and shared its cores and its disk with"
            + " the clients; those that were not measured were idle. Every acknowledged put is"
            + " synced to disk. CPU is that of all nodes of a contender, without its clients.");
    notes.add(
        "Of limits: \"floor %\" is the part of the median latency that the machine needs for one"
            + " fsync and two round trips of a put (one without replication), or for one round trip"
            + " of a get; \"cores %\" is the part of all cores that the nodes use; \"disk %\" is the"
            + " part of the write bandwidth that one copy of each value on each node needs.");
    for (Contender contender : contenders) {
      String reason = measured.missing().get(contender.name());
      notes.add(
          reason == null
              ? contender.name() + ": " + contender.description()
              : "NOT MEASURED: " + contender.name() + ". " + reason);
    }
    if (measured.results().roundsMin() < plan.rounds() && measured.results().failures().isEmpty()) {
      notes.add(
          "Time was short: some figures are of "
              + measured.results().roundsMin()
              + " round(s) only.");
    }
    notes.addAll(measured.results().failures());
    return notes;
  }

  EvaluationReport tablesAndPlots() {
    return new EvaluationReport(NAME, measured.results(), new AgainstFirst(first()), COLUMNS)
        .figures("Puts", PeerLoads.PUTS)
        .figures("Linearizable gets", PeerLoads.GETS)
        .figures("Mostly gets", PeerLoads.MOSTLY_GETS)
        .figures("Puts of large values", PeerLoads.LARGE_PUTS)
        .table("Limits of the machine", measured.limits().table())
        .rows(measured.distributions().rows(LATENCIES))
        .rows(measured.limits().rows(LIMITS))
        .rows(contenderRows())
        .plots(plots());
  }

  private SystemUnderTest first() {
    return measured.systems().get(0);
  }

  /** Whether each contender was measured, for programs. */
  private List<Row> contenderRows() {
    return contenders.stream()
        .map(
            each ->
                new Row(
                    CONTENDERS,
                    "all",
                    each.name(),
                    "measured",
                    measured.missing().containsKey(each.name()) ? 0 : 1,
                    "1 if it was"))
        .toList();
  }

  private String clientCounts() {
    return scale.clients().stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private Map<String, Plot> plots() {
    Curves curves = new Curves(measured.results(), measured.systems());
    Map<String, Plot> plots = new LinkedHashMap<>();
    for (String experiment : List.of(PeerLoads.PUTS, PeerLoads.GETS)) {
      List<Case> cases = measured.results().cases(experiment);
      plots.putAll(
          curves.latencyAgainstThroughput(
              cases, experiment, clientCounts() + " clients, " + scale.valueBytes() + " B"));
    }
    for (Case each : measured.cases()) {
      if (each.load().clients() == scale.manyClients()) {
        Plot plot = measured.distributions().plot(each, measured.systems());
        if (!plot.series().isEmpty()) {
          plots.put(each.experiment() + "-distribution", plot);
        }
      }
    }
    return plots;
  }
}
