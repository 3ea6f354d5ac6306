package io.quorate.benchmarks.costs;

import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.paper.result.Rounds;
import io.quorate.benchmarks.report.Row;
import io.quorate.server.cli.format.TextTable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * What TLS adds to the costs of calls: the figures of a cluster with it beside those of one
 * without, in rounds that alternate, so that other load on the machine affects both equally.
 */
final class TlsCosts {
  private static final int ROUNDS_MAX = 5;
  private static final int ROUND_SECONDS_MIN = 2;
  private static final List<Figure> FIGURES =
      List.of(
          new Figure("throughput", "ops/s", LoadCosts::throughput),
          new Figure("cpu per call", "us", each -> each.costs().processorMicros()),
          new Figure("cpu of the clients per call", "us", each -> each.costs().clientMicros()),
          new Figure("context switches per call", "", each -> each.costs().switches()),
          new Figure(
              "context switches of the clients per call",
              "",
              each -> each.costs().clientSwitches()));

  private final String experiment;
  private final String preset;
  private final Map<String, List<Pair>> rounds = new LinkedHashMap<>();

  private record Figure(String name, String unit, ToDoubleFunction<LoadCosts> of) {}

  /** What was measured in one round. */
  private record Pair(LoadCosts without, LoadCosts with) {
    double ratio(Figure figure) {
      return figure.of().applyAsDouble(with) / figure.of().applyAsDouble(without);
    }
  }

  TlsCosts(String experiment, String preset) {
    this.experiment = experiment;
    this.preset = preset;
  }

  /**
   * Measures all loads. Blocks.
   *
   * @param measured of each load on each cluster, in all rounds together
   */
  void measure(LoadedCluster without, LoadedCluster with, Duration warmup, Duration measured)
      throws IOException, InterruptedException {
    without.warmUp(warmup);
    with.warmUp(warmup);
    int count = (int) Math.max(1, Math.min(ROUNDS_MAX, measured.toSeconds() / ROUND_SECONDS_MIN));
    Duration slice = measured.dividedBy(count);
    for (KvWorkload load : LoadedCluster.loads()) {
      for (int round = 1; round <= count; round++) {
        String label = "round " + round + " of " + count + ": ";
        // Neither is always the first.
        if (round % 2 == 1) {
          LoadCosts first = without.measure(label, load, slice);
          add(load.name(), first, with.measure(label, load, slice));
        } else {
          LoadCosts first = with.measure(label, load, slice);
          add(load.name(), without.measure(label, load, slice), first);
        }
      }
    }
  }

  /** Adds a round of a load. */
  void add(String load, LoadCosts without, LoadCosts with) {
    rounds.computeIfAbsent(load, absent -> new ArrayList<>()).add(new Pair(without, with));
  }

  /** Two rows for each figure of a load: without TLS, and with it and the median of the ratios. */
  List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    rounds.forEach(
        (load, pairs) -> {
          for (Figure figure : FIGURES) {
            double without = median(pairs, pair -> figure.of().applyAsDouble(pair.without()));
            double with = median(pairs, pair -> figure.of().applyAsDouble(pair.with()));
            rows.add(new Row(experiment, load, preset, figure.name(), without, figure.unit()));
            rows.add(
                new Row(experiment, load, preset + ", TLS", figure.name(), with, figure.unit())
                    .against(preset, median(pairs, pair -> pair.ratio(figure))));
          }
        });
    return rows;
  }

  private static double median(List<Pair> pairs, ToDoubleFunction<Pair> figure) {
    return new Rounds(pairs.stream().mapToDouble(figure).boxed().toList()).median();
  }

  /** A line for each figure of a load. */
  TextTable table() {
    TextTable table = TextTable.ofFigures("load", "without TLS", "with TLS", "ratio");
    List<Row> rows = rows();
    IntStream.iterate(0, i -> i < rows.size(), i -> i + 2)
        .forEach(
            i -> {
              Row with = rows.get(i + 1);
              table.add(
                  with.workload() + ": " + with.metric(),
                  text(rows.get(i).value()),
                  text(with.value()),
                  text(with.ratio().orElseThrow()));
            });
    return table;
  }

  private static String text(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }
}
