package io.quorate.benchmarks.report;

import java.util.OptionalDouble;
import java.util.stream.Collectors;

/**
 * Formats a report as JSON. Every command writes this structure:
 *
 * <pre>
 * {"command": text,
 *  "machine": {"cores": number, "load": number},
 *  "rows": [{"experiment": text, "workload": text, "preset": text, "baseline": text or null,
 *            "metric": text, "value": number, "unit": text,
 *            "ratio": number or null, "paper": number or null}]}
 * </pre>
 *
 * <p>A figure that is not a number is {@code null}.
 */
public final class ReportJson {
  private ReportJson() {}

  public static String of(Report report) {
    String rows = report.rows().stream().map(ReportJson::row).collect(Collectors.joining(",\n  "));
    return """
        {"command": %s,
         "machine": {"cores": %d, "load": %s},
         "rows": [
          %s]}
        """
        .formatted(
            text(report.command()),
            report.machine().cores(),
            number(report.machine().load()),
            rows);
  }

  private static String row(Row row) {
    return "{\"experiment\": %s, \"workload\": %s, \"preset\": %s, \"baseline\": %s, \"metric\": %s, \"value\": %s, \"unit\": %s, \"ratio\": %s, \"paper\": %s}"
        .formatted(
            text(row.experiment()),
            text(row.workload()),
            text(row.preset()),
            row.baseline().map(ReportJson::text).orElse("null"),
            text(row.metric()),
            number(row.value()),
            text(row.unit()),
            optional(row.ratio()),
            optional(row.paper()));
  }

  private static String optional(OptionalDouble value) {
    return value.isPresent() ? number(value.getAsDouble()) : "null";
  }

  /** Rounds to four decimal digits, which exceeds the precision of the measurements. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      return "null";
    }
    double rounded = Math.abs(value) < 1e11 ? Math.rint(value * 10_000) / 10_000 : value;
    return rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15
        ? Long.toString((long) rounded)
        : Double.toString(rounded);
  }

  static String text(String value) {
    StringBuilder quoted = new StringBuilder(value.length() + 2).append('"');
    for (int i = 0; i < value.length(); i++) {
      char c = value.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < ' ') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
