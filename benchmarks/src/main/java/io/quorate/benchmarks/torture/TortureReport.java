package io.quorate.benchmarks.torture;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import io.quorate.torture.run.TortureResult;
import io.quorate.torture.run.TortureResult.Faults;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The result of a torture run, as text and as rows. */
final class TortureReport {
  private static final String EXPERIMENT = "torture";
  private static final double NANOS_PER_MILLI = 1e6;

  private TortureReport() {}

  /**
   * The result as text: operations, faults, what could not be tested, findings, and the verdict.
   */
  static String text(TortureResult result, Machine machine) {
    TextTable operations = TextTable.ofFigures("operation", "ok", "failed", "indeterminate");
    result
        .operations()
        .forEach(
            (kind, counts) ->
                operations.add(
                    kind,
                    Long.toString(counts.ok()),
                    Long.toString(counts.failed()),
                    Long.toString(counts.indeterminate())));
    StringBuilder text = new StringBuilder();
    text.append(operations.render()).append('\n').append(faults(result.faults())).append('\n');
    obstacles(result.faults()).forEach(line -> text.append(line).append('\n'));
    result.unjudged().forEach(line -> text.append(line).append('\n'));
    result.findings().forEach(finding -> text.append(finding).append('\n'));
    text.append(
        String.format(
            Locale.ROOT,
            "%s after %d rounds; seed %s; %d cores, load average %.2f%n",
            result.verdict(),
            result.rounds(),
            result.seed(),
            machine.cores(),
            machine.load()));
    result
        .kept()
        .ifPresent(
            directory ->
                text.append("Histories, logs of the nodes, faults and the seed are in ")
                    .append(directory)
                    .append('\n'));
    return text.toString();
  }

  /** A summary of several presets in a few lines, with the findings of those that failed. */
  static String summary(Map<String, TortureResult> byPreset) {
    StringBuilder text = new StringBuilder();
    byPreset.forEach(
        (preset, result) -> {
          if (!result.isPass()) {
            text.append(
                String.format(
                    Locale.ROOT,
                    "Preset %s, seed %s: %s%n",
                    preset,
                    result.seed(),
                    result.verdict()));
            result.findings().forEach(finding -> text.append("  ").append(finding).append('\n'));
          }
        });
    long passed = byPreset.values().stream().filter(TortureResult::isPass).count();
    return text.append(
            String.format(Locale.ROOT, "%d of %d presets passed.%n", passed, byPreset.size()))
        .toString();
  }

  /** A table with a row for each kind of fault that was drawn. */
  private static String faults(Map<String, Faults> byKind) {
    TextTable table =
        TextTable.ofFigures(
            "fault",
            "injected",
            "missed",
            "longest ms without service",
            "longest ms without writes to a region, majority healthy");
    List<String> notDrawn = new ArrayList<>();
    byKind.forEach(
        (kind, counts) -> {
          if (counts.obstacle().isPresent()) {
            return;
          }
          if (counts.injected() + counts.missed() == 0 && counts.withoutService().isZero()) {
            notDrawn.add(kind);
            return;
          }
          table.add(
              kind,
              Long.toString(counts.injected()),
              Long.toString(counts.missed()),
              String.format(Locale.ROOT, "%.0f", millis(counts.withoutService())),
              counts
                  .writeGap()
                  .map(gap -> String.format(Locale.ROOT, "%.0f", millis(gap)))
                  .orElse(""));
        });
    return notDrawn.isEmpty()
        ? table.render()
        : table.render() + "\nNever drawn: " + String.join(", ", notDrawn) + ".\n";
  }

  private static List<String> obstacles(Map<String, Faults> byKind) {
    List<String> lines = new ArrayList<>();
    byKind.forEach(
        (kind, counts) ->
            counts
                .obstacle()
                .ifPresent(
                    obstacle -> lines.add("NOT TESTED: " + kind + ", because " + obstacle + ".")));
    return lines;
  }

  /** The result as rows. */
  static List<Row> rows(String preset, TortureResult result) {
    List<Row> rows = new ArrayList<>();
    result
        .operations()
        .forEach(
            (kind, counts) -> {
              rows.add(row(kind, preset, "ok", counts.ok(), "operations"));
              rows.add(row(kind, preset, "failed", counts.failed(), "operations"));
              rows.add(row(kind, preset, "indeterminate", counts.indeterminate(), "operations"));
            });
    result
        .faults()
        .forEach(
            (kind, counts) -> {
              rows.add(row(kind, preset, "injected", counts.injected(), "faults"));
              rows.add(row(kind, preset, "missed", counts.missed(), "faults"));
              rows.add(row(kind, preset, "without-service", millis(counts.withoutService()), "ms"));
              counts
                  .writeGap()
                  .ifPresent(gap -> rows.add(row(kind, preset, "write-gap", millis(gap), "ms")));
            });
    String seed = "seed " + result.seed();
    rows.add(row(seed, preset, "rounds", result.rounds(), "rounds"));
    rows.add(row(seed, preset, "findings", result.findings().size(), "findings"));
    rows.add(row(seed, preset, "unjudged", result.unjudged().size(), "gaps"));
    rows.add(row(seed, preset, "linearizable", result.isPass() ? 1 : 0, "1 if so"));
    return rows;
  }

  private static Row row(String workload, String preset, String metric, double value, String unit) {
    return new Row(EXPERIMENT, workload, preset, metric, value, unit);
  }

  private static double millis(Duration time) {
    return time.toNanos() / NANOS_PER_MILLI;
  }
}
