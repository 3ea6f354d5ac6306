package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.peers.run.AgainstFirst;
import io.quorate.benchmarks.peers.run.Measured;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** The tables, rows and notes of a measurement of growth. Without side effects. */
final class GrowthReport {
  static final String NAME = "growth";
  static final String TITLE = "Regions and connections";

  private static final String MEMORY = "growth-memory";
  private static final String LATENCIES = "growth-latency";
  private static final String LIMITS = "growth-limits";
  private static final String AT_REST = "at rest";
  private static final double BYTES_PER_KIB = 1 << 10;
  private static final double BYTES_PER_MIB = 1 << 20;

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
          Column.count("errors", Metric.ERRORS));

  private final List<GrowthContender> contenders;
  private final GrowthScale scale;
  private final Measured measured;

  /**
   * @param contenders all that were to be measured; the first has one region and no connections
   */
  GrowthReport(List<GrowthContender> contenders, GrowthScale scale, Measured measured) {
    this.contenders = List.copyOf(contenders);
    this.scale = scale;
    this.measured = measured;
  }

  /** What a reader needs to judge the figures, a sentence or a few each. */
  List<String> notes() {
    List<String> notes = new ArrayList<>();
    notes.add(measured.method(scale.plan()));
    notes.add(
        "All clusters of three nodes ran at the same time, and those that were not measured were"
            + " idle.");
    notes.add(
        "Memory is the mean resident memory of the nodes before any call, after a garbage"
            + " collection; that of a region is the growth from the cluster with one region, that of"
            + " a connection the growth by idle connections, at its node.");
    measured
        .missing()
        .forEach((name, reason) -> notes.add("NOT MEASURED: " + name + ". " + reason));
    notes.addAll(measured.results().failures());
    return notes;
  }

  EvaluationReport tables() {
    Comparison comparison = new AgainstFirst(measured.systems().get(0));
    return new EvaluationReport(NAME, measured.results(), comparison, COLUMNS)
        .figures("All regions in use", GrowthLoads.ALL_IN_USE)
        .figures("One of the regions in use", GrowthLoads.ONE_IN_USE)
        .figures("Idle connections", GrowthLoads.CONNECTIONS)
        .table("Memory", memoryTable())
        .rows(memoryRows())
        .rows(measured.distributions().rows(LATENCIES))
        .rows(measured.limits().rows(LIMITS));
  }

  private TextTable memoryTable() {
    TextTable table =
        TextTable.ofFigures("cluster", "MiB a node", "KiB a region", "KiB a connection");
    for (GrowthContender each : contenders) {
      if (each.memory().isPresent()) {
        MemoryUse memory = each.memory().get();
        table.add(
            each.name(),
            String.format(Locale.ROOT, "%.0f", memory.bytesWithConnections() / BYTES_PER_MIB),
            kib(bytesPerRegion(memory)),
            kib(memory.bytesPerConnection()));
      }
    }
    return table;
  }

  private static String kib(OptionalDouble bytes) {
    return bytes.isPresent()
        ? String.format(Locale.ROOT, "%.1f", bytes.getAsDouble() / BYTES_PER_KIB)
        : "-";
  }

  private OptionalDouble bytesPerRegion(MemoryUse memory) {
    Optional<MemoryUse> one = contenders.get(0).memory();
    return one.isPresent() ? memory.bytesPerRegion(one.get()) : OptionalDouble.empty();
  }

  private List<Row> memoryRows() {
    List<Row> rows = new ArrayList<>();
    for (GrowthContender each : contenders) {
      each.memory()
          .ifPresent(
              memory -> {
                rows.add(
                    row(each, "rss", memory.bytesWithConnections() / BYTES_PER_MIB, "MiB a node"));
                bytesPerRegion(memory)
                    .ifPresent(
                        bytes -> rows.add(row(each, "region", bytes / BYTES_PER_KIB, "KiB")));
                memory
                    .bytesPerConnection()
                    .ifPresent(
                        bytes -> rows.add(row(each, "connection", bytes / BYTES_PER_KIB, "KiB")));
              });
    }
    return rows;
  }

  private static Row row(GrowthContender contender, String metric, double value, String unit) {
    return new Row(MEMORY, AT_REST, contender.name(), metric, value, unit);
  }
}
