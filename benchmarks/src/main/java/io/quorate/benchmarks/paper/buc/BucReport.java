package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Case;
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
final class BucReport {
  private static final String AIMS = "buc-aims";
  private static final String MILLIS = "%.2f";
  private static final String COUNT = "%.0f";

  private static final List<Column> FIGURES =
      List.of(
          Column.median("ops/s", Metric.THROUGHPUT, COUNT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.median("write p50 ms", Metric.WRITE_P50, MILLIS),
          Column.ratio(Metric.WRITE_P50),
          Column.paper(Metric.WRITE_P50),
          Column.median("p99", Metric.WRITE_P99, MILLIS),
          Column.ratio(Metric.WRITE_P99),
          Column.median("read p50 ms", Metric.READ_P50, MILLIS),
          Column.ratio(Metric.READ_P50),
          Column.paper(Metric.READ_P50),
          Column.median("p99", Metric.READ_P99, MILLIS),
          Column.median("scan p50 ms", Metric.SCAN_P50, MILLIS),
          Column.ratio(Metric.SCAN_P50),
          Column.paper(Metric.SCAN_P50),
          Column.median("p99", Metric.SCAN_P99, MILLIS),
          Column.median("CPU µs/call", Metric.CPU_PER_CALL, COUNT),
          Column.ratio(Metric.CPU_PER_CALL),
          Column.median("errors", Metric.ERRORS, COUNT));

  private static final List<Column> INDEXES =
      List.of(
          Column.median("read index/s", Metric.READ_INDEX, COUNT),
          Column.median("applied index/s", Metric.APPLIED_INDEX, COUNT),
          Column.median("gap", Metric.GAP, "%.1f"),
          Column.median("most", Metric.GAP_MAX, COUNT),
          Column.median("lag ms", Metric.LAG, MILLIS));

  private final Results results;
  private final Systems systems;
  private final Evaluation evaluation;

  BucReport(Results results, Systems systems, Evaluation evaluation) {
    this.results = results;
    this.systems = systems;
    this.evaluation = evaluation;
  }

  Findings findings() {
    return new Findings(tables(), rows(), BucPlots.of(results, systems));
  }

  private Map<String, TextTable> tables() {
    ResultTables figures = new ResultTables(results, systems, FIGURES);
    ResultTables indexes = new ResultTables(results, systems, INDEXES);
    Map<String, TextTable> all = new LinkedHashMap<>();
    for (Storage storage : Storage.values()) {
      BucPlots.TITLES.forEach(
          (experiment, title) ->
              all.put(
                  title + ", " + storage.text(),
                  figures.figures(cases(results.cases(experiment), storage))));
    }
    for (Storage storage : Storage.values()) {
      all.put(
          "Read index and applied index, " + storage.text(),
          indexes.figures(cases(results.cases(), storage)));
    }
    all.put("All loads together", new Overall(results, systems).table());
    all.put("Aims: the paper's claims", figures.aims(evaluation.claims()));
    List<Expectation> noLosses = evaluation.noLosses().stream().filter(this::isMeasured).toList();
    List<Expectation> missed = noLosses.stream().filter(aim -> !isMet(aim)).toList();
    all.put(
        "Aims: no losses with the default storage, missed are "
            + missed.size()
            + " of "
            + noLosses.size(),
        figures.aims(missed));
    return all;
  }

  private static List<Case> cases(List<Case> of, Storage storage) {
    return of.stream().filter(each -> Evaluation.storageOf(each) == storage).toList();
  }

  private boolean isMeasured(Expectation aim) {
    return aim.ratios(results).isPresent();
  }

  private boolean isMet(Expectation aim) {
    return aim.isMet(aim.ratios(results).orElseThrow());
  }

  private List<Row> rows() {
    ResultRows figures = new ResultRows(results, systems);
    List<Row> rows = new ArrayList<>(figures.all());
    rows.addAll(figures.aims(AIMS, evaluation.claims()));
    rows.addAll(figures.aims(AIMS, evaluation.noLosses()));
    return rows;
  }
}
