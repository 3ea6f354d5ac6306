package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Pace;
import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param replicas of every cluster
 * @param allApproaches whether those take part too that are for comparison only
 * @param keys that are there
 * @param clients of the curve of throughput against latency
 * @param readRatios with many clients
 * @param hotKeys to how few keys all calls go
 * @param leaderPercents parts of the reads that the leader has, where they are fixed
 * @param corePercent what each node has of a core where processors are shared out
 * @param corePercentOfSlow what the slow one of them has
 * @param pace of every case
 */
record Extent(
    int replicas,
    boolean allApproaches,
    int keys,
    List<Integer> clients,
    List<Double> readRatios,
    List<Integer> hotKeys,
    List<Integer> leaderPercents,
    int corePercent,
    int corePercentOfSlow,
    Pace pace) {

  /** As much as fits into a few minutes. */
  static final Extent QUICK =
      new Extent(
          5,
          false,
          5000,
          List.of(8, 80),
          List.of(0.5, 0.95),
          List.of(10),
          List.of(0, 50),
          25,
          10,
          new Pace(3, millis(100), millis(500), millis(2500), Duration.ofSeconds(210)));

  /** What the evaluation consists of. */
  static final Extent FULL =
      new Extent(
          5,
          true,
          100_000,
          List.of(1, 10, 20, 40, 80),
          List.of(0.3, 0.5, 0.7, 0.9, 0.95, 0.99),
          List.of(1, 10, 100),
          List.of(0, 25, 50, 75, 100),
          25,
          10,
          new Pace(4, millis(300), millis(2000), millis(8000), Duration.ofHours(3)));

  Extent {
    clients = List.copyOf(clients);
    readRatios = List.copyOf(readRatios);
    hotKeys = List.copyOf(hotKeys);
    leaderPercents = List.copyOf(leaderPercents);
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
