package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Aim;
import io.quorate.benchmarks.paper.ResultRows;
import io.quorate.benchmarks.paper.ResultTables;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.Row;
import io.quorate.benchmarks.report.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What the evaluation found. */
final class AcqrReport {
  private static final String AIMS = "acqr-aims";

  private final Results results;
  private final Lineup lineup;
  private final List<Aim> aims;

  AcqrReport(Results results, Lineup lineup, List<Aim> aims) {
    this.results = results;
    this.lineup = lineup;
    this.aims = aims;
  }

  /** By their headings. */
  Map<String, TextTable> tables() {
    ResultTables tables = new ResultTables(results, lineup);
    Map<String, TextTable> all = new LinkedHashMap<>();
    all.put("50 % reads, few clients to many", tables.figures(Evaluation.CLIENTS));
    all.put("Share of reads", tables.figures(Evaluation.READ_RATIO));
    all.put("Contention", tables.figures(Evaluation.CONTENTION));
    all.put("Between sites (in-process delay)", tables.figures(Evaluation.WIDE_AREA));
    all.put("Writes", tables.figures(Evaluation.WRITES));
    all.put("What a write costs, beside theory", new Costs(results, lineup).table(tables));
    all.put("Aims", tables.aims(aims));
    return all;
  }

  List<Row> rows() {
    List<Row> rows = new ArrayList<>(new ResultRows(results, lineup).all());
    rows.addAll(new Costs(results, lineup).rows());
    aims.stream()
        .filter(aim -> aim.ratio(results).isPresent())
        .forEach(aim -> rows.add(aim.row(AIMS, results)));
    return rows;
  }

  Map<String, Plot> plots() {
    return AcqrPlots.of(results, lineup);
  }
}
