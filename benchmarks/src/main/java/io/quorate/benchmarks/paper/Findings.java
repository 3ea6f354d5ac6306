package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.plot.Plot;
import io.quorate.benchmarks.report.Row;
import io.quorate.benchmarks.report.TextTable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What an evaluation makes of its results.
 *
 * @param tables by their headings, in the order to tell them in
 * @param rows for programs
 * @param plots by the names of their files, in order too
 */
public record Findings(Map<String, TextTable> tables, List<Row> rows, Map<String, Plot> plots) {
  public Findings {
    tables = Collections.unmodifiableMap(new LinkedHashMap<>(tables));
    rows = List.copyOf(rows);
    plots = Collections.unmodifiableMap(new LinkedHashMap<>(plots));
  }
}
