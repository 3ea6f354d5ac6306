package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.Row;
import io.quorate.benchmarks.report.TextTable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The tables, rows and plots that an evaluation derives from its results.
 *
 * @param tables by heading, in the order of the report
 * @param rows for machine-readable reports
 * @param plots by file name, in the order of the report
 */
public record Findings(Map<String, TextTable> tables, List<Row> rows, Map<String, Plot> plots) {
  public Findings {
    tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
    rows = List.copyOf(rows);
    plots = Collections.unmodifiableMap(new LinkedHashMap<>(plots));
  }
}
