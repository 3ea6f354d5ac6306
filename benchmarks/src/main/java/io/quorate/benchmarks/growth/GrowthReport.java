package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.ResultRows;
import io.quorate.benchmarks.paper.report.ResultTables;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.peers.run.AgainstFirst;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The tables, rows and notes of a measurement of growth. Without side effects. */
final class GrowthReport {
  static final String NAME = "growth";
  static final String TITLE = "Regions and connections";

  private static final String LATENCIES = "growth-latency";
  private static final String LIMITS = "growth-limits";

  private static final List<Column> COLUMNS =
      List.of(
          Column.count("ops/s", Metric.THROUGHPUT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.millis("get p50 ms", Metric.READ_P50),
          Column.millis("p99", Metric.READ_P99),
          Column.millis("put p50 ms", Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.count("CPU µs/call", Metric.CPU_PER_CALL),
          Column.ratio(Metric.CPU_PER_CALL),
          Column.count("cores %", Metric.CORES),
          Column.median("switches/call", Metric.SWITCHES_PER_CALL, "%.1f"),
          Column.ratio(Metric.SWITCHES_PER_CALL),
          Column.count("fsyncs/s", Metric.SYNCS_PER_SECOND),
          Column.ratio(Metric.SYNCS_PER_SECOND),
          Column.median("written/byte", Metric.WRITTEN_PER_BYTE, "%.2f"),
          Column.count("errors", Metric.ERRORS));

  /** The headings of the experiments. */
  private static final Map<String, String> EXPERIMENTS = new LinkedHashMap<>();

  static {
    EXPERIMENTS.put(GrowthLoads.ALL_IN_USE, "All regions in use");
    EXPERIMENTS.put(GrowthLoads.FILL, "Writes to disk");
    EXPERIMENTS.put(GrowthLoads.ONE_IN_USE, "One of the regions in use");
    EXPERIMENTS.put(GrowthLoads.CONNECTIONS, "Idle connections");
  }

  private final List<MeasuredPart> parts;
  private final GrowthScale scale;
  private final List<String> failures;

  /**
   * @param parts at least one
   * @param failures a sentence for each part that was not measured
   */
  GrowthReport(List<MeasuredPart> parts, GrowthScale scale, List<String> failures) {
    this.parts = List.copyOf(parts);
    this.scale = scale;
    this.failures = List.copyOf(failures);
  }

  /** Whether all was measured. */
  boolean isComplete() {
    return failures.isEmpty()
        && parts.stream().allMatch(each -> each.results().failures().isEmpty());
  }

  /** What a reader needs to judge the figures, a sentence or a few each. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    parts.forEach(
        each -> notes.add(each.part().title() + ": " + each.measured().method(scale.plan())));
    notes.add(
        "The clusters of three nodes of each of these parts ran at the same time, and those that"
            + " were not measured were idle.");
    notes.add(
        "Context switches are those of all threads of the nodes, waiting or displaced, without"
            + " threads that ended during the measurement; fsyncs are those of the logs of a node,"
            + " without those of RocksDB; bytes written are those of the block devices of the data,"
            + " by all programs.");
    notes.add(
        "Memory is the mean resident memory of the nodes before any call, after a garbage"
            + " collection; that of a region is the growth from the cluster with one region, that of"
            + " a connection the growth by idle connections, at its node.");
    for (MeasuredPart part : parts) {
      part.measured()
          .missing()
          .forEach((name, reason) -> notes.add("NOT MEASURED: " + name + ". " + reason));
      notes.addAll(part.results().failures());
    }
    notes.addAll(failures);
    return notes;
  }

  /** The tables by heading; first the aims. */
  Map<String, TextTable> tables() {
    Map<String, TextTable> tables = new LinkedHashMap<>();
    tables.put("Aims", GrowthAims.table(parts));
    for (MeasuredPart part : parts) {
      ResultTables figures = new ResultTables(part.results(), comparison(part), COLUMNS);
      EXPERIMENTS.forEach(
          (experiment, heading) -> {
            if (!part.results().cases(experiment).isEmpty()) {
              tables.put(heading + ", " + part.preset(), figures.figures(experiment));
            }
          });
      tables.put("Memory, " + part.part().title(), new GrowthMemory(part.part()).table());
    }
    return tables;
  }

  /** Every figure, for programs. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>(GrowthAims.rows(parts));
    for (MeasuredPart part : parts) {
      rows.addAll(new ResultRows(part.results(), comparison(part)).all());
      rows.addAll(new GrowthMemory(part.part()).rows());
      rows.addAll(part.measured().distributions().rows(LATENCIES));
      rows.addAll(part.measured().limits().rows(LIMITS));
    }
    return rows;
  }

  /** The plots by file name. */
  Map<String, Plot> plots() {
    return GrowthPlots.of(parts, scale.clients());
  }

  private static Comparison comparison(MeasuredPart part) {
    return new AgainstFirst(part.measured().systems().get(0));
  }
}
