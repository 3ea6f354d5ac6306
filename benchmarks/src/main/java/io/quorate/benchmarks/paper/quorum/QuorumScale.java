package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param replicas number of replicas of every cluster
 * @param allApproaches whether to include the systems that are for comparison only
 * @param keys number of keys
 * @param clients numbers of clients of the curve of throughput against latency
 * @param readRatios fractions of reads, with many clients
 * @param hotKeys small numbers of keys that receive all calls
 * @param leaderPercents fixed percentages of the reads by the leader
 * @param corePercent CPU limit of each node in percent of a core, where CPU is limited
 * @param corePercentOfSlow the same for the slow node
 * @param plan durations of every case
 */
record QuorumScale(
    int replicas,
    boolean allApproaches,
    int keys,
    List<Integer> clients,
    List<Double> readRatios,
    List<Integer> hotKeys,
    List<Integer> leaderPercents,
    int corePercent,
    int corePercentOfSlow,
    RunPlan plan) {

  /** A run of a few minutes. */
  static final QuorumScale QUICK =
      new QuorumScale(
          5,
          false,
          5000,
          List.of(8, 80),
          List.of(0.5, 0.95),
          List.of(10),
          List.of(0, 50),
          25,
          10,
          new RunPlan(3, millis(100), millis(500), millis(2500), Duration.ofSeconds(210)));

  /** The full evaluation. */
  static final QuorumScale FULL =
      new QuorumScale(
          5,
          true,
          100_000,
          List.of(1, 10, 20, 40, 80),
          List.of(0.3, 0.5, 0.7, 0.9, 0.95, 0.99),
          List.of(1, 10, 100),
          List.of(0, 25, 50, 75, 100),
          25,
          10,
          new RunPlan(4, millis(300), millis(2000), millis(8000), Duration.ofHours(3)));

  QuorumScale {
    clients = List.copyOf(clients);
    readRatios = List.copyOf(readRatios);
    hotKeys = List.copyOf(hotKeys);
    leaderPercents = List.copyOf(leaderPercents);
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
