package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Ratios over all loads together, in which the chance of each counts for little. */
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
  private final Lineup lineup;

  Overall(Results results, Lineup lineup) {
    this.results = results;
    this.lineup = lineup;
  }

  /** A line for each contender with each storage; dashes where there is nothing. */
  TextTable table() {
    List<String> names = new ArrayList<>(List.of("over raft, mean of all loads", "loads"));
    METRICS.forEach(metric -> names.add(metric.label()));
    TextTable table = new TextTable(names.toArray(String[]::new));
    for (Storage storage : Storage.values()) {
      List<Case> cases =
          results.cases().stream().filter(each -> Evaluation.storageOf(each) == storage).toList();
      if (!cases.isEmpty()) {
        for (Contender ahead : lineup.trio(storage).ahead()) {
          List<String> line = new ArrayList<>();
          line.add(ahead + ", " + storage.text());
          line.add(Integer.toString(cases.size()));
          METRICS.forEach(metric -> line.add(text(mean(cases, ahead, metric))));
          table.add(line.toArray(String[]::new));
        }
      }
    }
    return table;
  }

  /** The geometric mean of the ratios over the baseline; empty if there are none. */
  OptionalDouble mean(List<Case> cases, Contender contender, Metric metric) {
    Contender baseline = lineup.baseline(contender).orElseThrow();
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
