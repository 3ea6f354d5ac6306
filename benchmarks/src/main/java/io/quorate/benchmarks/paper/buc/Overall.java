package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.server.cli.format.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Mean ratios over all loads, in which random variation of single loads has little weight. */
final class Overall {
  private static final List<Metric> METRICS =
      List.of(
          Metric.THROUGHPUT,
          Metric.WRITE_P50,
          Metric.WRITE_P99,
          Metric.READ_P50,
          Metric.READ_P99,
          Metric.SCAN_P50,
          Metric.CPU_PER_CALL);

  private final Results results;
  private final BucSystems systems;

  Overall(Results results, BucSystems systems) {
    this.results = results;
    this.systems = systems;
  }

  /** A line for each system with each storage; a dash if there is no value. */
  TextTable table() {
    List<String> names = new ArrayList<>(List.of("over raft, mean of all loads", "loads"));
    METRICS.forEach(metric -> names.add(metric.label()));
    TextTable table = TextTable.ofFigures(names.toArray(String[]::new));
    for (StorageVariant storage : StorageVariant.values()) {
      // The loads of the other experiment differ in what the gain depends on.
      List<Case> cases =
          storage.cases(
              results.cases().stream()
                  .filter(each -> !each.experiment().equals(ShareExperiment.NAME))
                  .toList());
      if (!cases.isEmpty()) {
        for (SystemUnderTest contender : systems.trio(storage).respondingAtCommit()) {
          List<String> line = new ArrayList<>();
          line.add(contender + ", " + storage.text());
          line.add(Integer.toString(cases.size()));
          METRICS.forEach(metric -> line.add(text(mean(cases, contender, metric))));
          table.add(line.toArray(String[]::new));
        }
      }
    }
    return table;
  }

  /** The geometric mean of the ratios over the baseline; empty if there are none. */
  OptionalDouble mean(List<Case> cases, SystemUnderTest contender, Metric metric) {
    SystemUnderTest baseline = systems.baseline(contender).orElseThrow();
    OptionalDouble meanOfLogarithms =
        cases.stream()
            .map(each -> results.ratio(each, contender, baseline, metric))
            .filter(ratio -> ratio.isPresent() && ratio.getAsDouble() > 0)
            .mapToDouble(ratio -> Math.log(ratio.getAsDouble()))
            .average();
    return meanOfLogarithms.isPresent()
        ? OptionalDouble.of(Math.exp(meanOfLogarithms.getAsDouble()))
        : OptionalDouble.empty();
  }

  private static String text(OptionalDouble ratio) {
    return ratio.isPresent() ? String.format(Locale.ROOT, "%.2f", ratio.getAsDouble()) : "-";
  }
}
