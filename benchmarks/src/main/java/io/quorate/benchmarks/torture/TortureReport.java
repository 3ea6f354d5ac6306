package io.quorate.benchmarks.torture;

import io.quorate.benchmarks.report.Machine;
import io.quorate.benchmarks.report.Row;
import io.quorate.benchmarks.report.TextTable;
import io.quorate.server.verification.torture.TortureResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How the result of a torture is told. */
final class TortureReport {
  private static final String EXPERIMENT = "torture";
  private static final double NANOS_PER_MILLI = 1e6;

  private TortureReport() {}

  /** For people: two tables, what could not be tested, what was found, and the verdict. */
  static String text(TortureResult result, Machine machine) {
    TextTable operations = new TextTable("operation", "ok", "failed", "indeterminate");
    result
        .operations()
        .forEach(
            (kind, counts) ->
                operations.add(
                    kind,
                    Long.toString(counts.ok()),
                    Long.toString(counts.failed()),
                    Long.toString(counts.indeterminate())));
    TextTable faults =
        new TextTable(
            "fault",
            "injected",
            "missed",
            "longest ms without service",
            "and without writes to a region, a majority being well");
    StringBuilder obstacles = new StringBuilder();
    result
        .faults()
        .forEach(
            (kind, counts) -> {
              if (counts.obstacle().isPresent()) {
                obstacles
                    .append("NOT TESTED: ")
                    .append(kind)
                    .append(", because ")
                    .append(counts.obstacle().get())
                    .append(".\n");
              } else {
                faults.add(
                    kind,
                    Long.toString(counts.injected()),
                    Long.toString(counts.missed()),
                    String.format(Locale.ROOT, "%.0f", millis(counts.withoutService())),
                    counts
                        .stillness()
                        .map(gap -> String.format(Locale.ROOT, "%.0f", millis(gap)))
                        .orElse(""));
              }
            });
    StringBuilder text = new StringBuilder();
    text.append(operations.render()).append('\n').append(faults.render()).append('\n');
    text.append(obstacles);
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

  /** The same for machines. */
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
                  .stillness()
                  .ifPresent(gap -> rows.add(row(kind, preset, "stillness", millis(gap), "ms")));
            });
    String seed = "seed " + result.seed();
    rows.add(row(seed, preset, "rounds", result.rounds(), "rounds"));
    rows.add(row(seed, preset, "findings", result.findings().size(), "findings"));
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
