package io.quorate.benchmarks.report;

import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** Formats a report as comma-separated values: one line of names, then one line per row. */
public final class ReportCsv {
  private static final String NAMES =
      "experiment,workload,preset,baseline,metric,value,unit,ratio,paper\n";

  private ReportCsv() {}

  public static String of(Report report) {
    return report.rows().stream().map(ReportCsv::line).collect(Collectors.joining("", NAMES, ""));
  }

  private static String line(Row row) {
    return List.of(
                row.experiment(),
                row.workload(),
                row.preset(),
                row.baseline().orElse(""),
                row.metric(),
                ReportJson.number(row.value()),
                row.unit(),
                optional(row.ratio()),
                optional(row.paper()))
            .stream()
            .map(ReportCsv::field)
            .collect(Collectors.joining(","))
        + "\n";
  }

  private static String optional(OptionalDouble value) {
    return value.isPresent() ? ReportJson.number(value.getAsDouble()) : "";
  }

  private static String field(String value) {
    boolean plain = value.chars().noneMatch(c -> c == ',' || c == '"' || c == '\n' || c == '\r');
    return plain ? value : '"' + value.replace("\"", "\"\"") + '"';
  }
}
