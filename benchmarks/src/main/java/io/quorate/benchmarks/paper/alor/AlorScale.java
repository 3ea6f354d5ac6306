package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param mainMix the devices of the paper's comparison of all workloads
 * @param mixes other devices of as many nodes
 * @param sizes devices of other numbers of nodes
 * @param slowDevices numbers of devices that become slow at the same time
 * @param regions number of regions, of three replicas each
 * @param rowsPerNode rows that are loaded for each node
 * @param clients number of closed-loop clients
 * @param readers the same where most calls read, which devices do not limit
 * @param plan durations of every case but the load
 */
record AlorScale(
    String mainMix,
    List<String> mixes,
    List<String> sizes,
    List<Integer> slowDevices,
    int regions,
    int rowsPerNode,
    int clients,
    int readers,
    RunPlan plan) {

  /** A run of a few minutes. */
  static final AlorScale QUICK =
      new AlorScale(
          "1N2H3P",
          List.of(),
          List.of(),
          List.of(1),
          24,
          2_000,
          192,
          24,
          RunPlan.ofMillis(1, 1000, 5000, 5000, Duration.ofMinutes(5)));

  /** The full evaluation. */
  static final AlorScale FULL =
      new AlorScale(
          "1N2H3P",
          List.of("2H4P", "2N2H2P", "3N2H1P"),
          List.of("1H3P", "1N1H3P"),
          List.of(1, 2),
          24,
          4_000,
          192,
          24,
          RunPlan.ofMillis(2, 3000, 15000, 8000, Duration.ofMinutes(55)));

  AlorScale {
    mixes = List.copyOf(mixes);
    sizes = List.copyOf(sizes);
    slowDevices = List.copyOf(slowDevices);
  }
}
