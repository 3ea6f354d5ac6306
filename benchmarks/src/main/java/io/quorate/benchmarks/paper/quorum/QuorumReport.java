package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Column;
import io.quorate.benchmarks.paper.Expectation;
import io.quorate.benchmarks.paper.Findings;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.ResultRows;
import io.quorate.benchmarks.paper.ResultTables;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.report.Row;
import io.quorate.benchmarks.report.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The findings of the evaluation. */
final class QuorumReport {
  private static final String AIMS = "quorum-aims";
  private static final String MILLIS = "%.2f";
  private static final String COUNT = "%.0f";

  private static final List<Column> COLUMNS =
      List.of(
          Column.median("ops/s", Metric.THROUGHPUT, COUNT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.median("read p50 ms", Metric.READ_P50, MILLIS),
          Column.ratio(Metric.READ_P50),
          Column.median("p99", Metric.READ_P99, MILLIS),
          Column.median("write p50 ms", Metric.WRITE_P50, MILLIS),
          Column.ratio(Metric.WRITE_P50),
          Column.paper(Metric.WRITE_P50),
          Column.median("p99", Metric.WRITE_P99, MILLIS),
          Column.median("reads at leader %", Metric.READS_AT_LEADER, COUNT),
          Column.median("at busiest %", Metric.READS_AT_BUSIEST, COUNT),
          Column.median("CPU at leader %", Metric.CPU_AT_LEADER, COUNT),
          Column.median("CPU µs/call", Metric.CPU_PER_CALL, COUNT),
          Column.median("errors", Metric.ERRORS, COUNT));

  private final Results results;
  private final Systems systems;
  private final RunScale scale;
  private final List<Expectation> aims;

  QuorumReport(Results results, Systems systems, RunScale scale, List<Expectation> aims) {
    this.results = results;
    this.systems = systems;
    this.scale = scale;
    this.aims = aims;
  }

  Findings findings() {
    return new Findings(tables(), rows(), QuorumPlots.of(results, systems, scale));
  }

  private Map<String, TextTable> tables() {
    ResultTables tables = new ResultTables(results, systems, COLUMNS);
    Map<String, TextTable> all = new LinkedHashMap<>();
    all.put("95 % reads, few clients to many", tables.figures(Evaluation.CLIENTS));
    all.put("The same, all processors for all nodes", tables.figures(Evaluation.UNBOUNDED));
    all.put("Share of reads", tables.figures(Evaluation.READ_RATIO));
    all.put("Hot spots", tables.figures(Evaluation.HOT_SPOTS));
    all.put("Parts of the reads by the leader", tables.figures(Evaluation.FRACTIONS));
    all.put("The same, with a slow replica", tables.figures(Evaluation.SLOW));
    all.put("Aims", tables.aims(aims));
    return all;
  }

  private List<Row> rows() {
    ResultRows figures = new ResultRows(results, systems);
    List<Row> rows = new ArrayList<>(figures.all());
    rows.addAll(figures.aims(AIMS, aims));
    return rows;
  }
}
