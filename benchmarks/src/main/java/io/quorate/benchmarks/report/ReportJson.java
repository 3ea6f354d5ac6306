package io.quorate.benchmarks.report;

import io.quorate.server.cli.format.JsonText;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
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
    String rows =
        report.rows().stream()
            .map(ReportJson::row)
            .map(JsonText::line)
            .collect(Collectors.joining(",\n  "));
    return String.format(
        Locale.ROOT,
        """
        {"command": %s,
         "machine": %s,
         "rows": [
          %s]}
        """,
        JsonText.line(report.command()),
        JsonText.line(machine(report.machine())),
        rows);
  }

  private static Map<String, Object> machine(Machine machine) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("cores", machine.cores());
    json.put("load", figure(machine.load()));
    return json;
  }

  private static Map<String, Object> row(Row row) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("experiment", row.experiment());
    json.put("workload", row.workload());
    json.put("preset", row.preset());
    json.put("baseline", row.baseline());
    json.put("metric", row.metric());
    json.put("value", figure(row.value()));
    json.put("unit", row.unit());
    json.put("ratio", figure(row.ratio()));
    json.put("paper", figure(row.paper()));
    return json;
  }

  private static Optional<Number> figure(OptionalDouble value) {
    return value.isPresent() ? figure(value.getAsDouble()) : Optional.empty();
  }

  /**
   * Rounds to four decimal digits, which exceeds the precision of the measurements; empty if the
   * value is not a number.
   */
  private static Optional<Number> figure(double value) {
    if (!Double.isFinite(value)) {
      return Optional.empty();
    }
    double rounded = Math.abs(value) < 1e11 ? Math.rint(value * 10_000) / 10_000 : value;
    boolean isWhole = rounded == Math.rint(rounded) && Math.abs(rounded) < 1e15;
    return Optional.of(isWhole ? (Number) (long) rounded : (Number) rounded);
  }

  /** A figure as it is written. */
  static String number(double value) {
    return JsonText.line(figure(value));
  }
}
