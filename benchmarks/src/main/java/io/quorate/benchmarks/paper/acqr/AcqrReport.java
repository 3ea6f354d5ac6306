package io.quorate.benchmarks.paper.acqr;

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
final class AcqrReport {
  private static final String AIMS = "acqr-aims";
  private static final List<Column> COLUMNS =
      List.of(
          Column.median("ops/s", Metric.THROUGHPUT, "%.0f"),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.median("read p50 ms", Metric.READ_P50, "%.2f"),
          Column.ratio(Metric.READ_P50),
          Column.paper(Metric.READ_P50),
          Column.median("p99", Metric.READ_P99, "%.2f"),
          Column.median("write p50 ms", Metric.WRITE_P50, "%.2f"),
          Column.ratio(Metric.WRITE_P50),
          Column.median("p99", Metric.WRITE_P99, "%.2f"),
          Column.median("errors", Metric.ERRORS, "%.0f"));

  private final Results results;
  private final Systems systems;
  private final List<Expectation> aims;

  AcqrReport(Results results, Systems systems, List<Expectation> aims) {
    this.results = results;
    this.systems = systems;
    this.aims = aims;
  }

  Findings findings() {
    return new Findings(tables(), rows(), AcqrPlots.of(results, systems));
  }

  private Map<String, TextTable> tables() {
    ResultTables tables = new ResultTables(results, systems, COLUMNS);
    Map<String, TextTable> all = new LinkedHashMap<>();
    all.put("50 % reads, few clients to many", tables.figures(Evaluation.CLIENTS));
    all.put("Share of reads", tables.figures(Evaluation.READ_RATIO));
    all.put("Contention", tables.figures(Evaluation.CONTENTION));
    all.put("Between sites (in-process delay)", tables.figures(Evaluation.WIDE_AREA));
    all.put("Writes", tables.figures(Evaluation.WRITES));
    all.put("What a write costs, beside theory", new Costs(results, systems).table(tables));
    all.put("Aims", tables.aims(aims));
    return all;
  }

  private List<Row> rows() {
    ResultRows figures = new ResultRows(results, systems);
    List<Row> rows = new ArrayList<>(figures.all());
    rows.addAll(new Costs(results, systems).rows());
    rows.addAll(figures.aims(AIMS, aims));
    return rows;
  }
}
