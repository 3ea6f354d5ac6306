package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Pace;
import java.time.Duration;
import java.util.List;

/**
 * How much is measured.
 *
 * @param grounds cluster by cluster
 * @param pace of every case
 */
record Extent(List<Ground> grounds, Pace pace) {

  /** As much as fits into a few minutes. */
  static final Extent QUICK =
      new Extent(
          List.of(
              new Ground(
                  3,
                  List.of(1, 16, 256),
                  List.of(0.0, 0.5, 0.95, 1.0),
                  List.of(1, 1000),
                  List.of(millis(5), millis(20))),
              new Ground(5, List.of(16, 256), List.of(0.5, 0.95), List.of(), List.of())),
          new Pace(3, millis(100), millis(400), millis(1500), Duration.ofSeconds(270)));

  /** What the evaluation consists of. */
  static final Extent FULL =
      new Extent(
          List.of(
              new Ground(
                  3,
                  List.of(1, 4, 16, 64, 256, 1024),
                  List.of(0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
                  List.of(1, 10, 100, 1000),
                  List.of(millis(1), millis(5), millis(20), millis(50))),
              new Ground(
                  5,
                  List.of(1, 4, 16, 64, 256, 1024),
                  List.of(0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
                  List.of(1, 10, 100, 1000),
                  List.of())),
          new Pace(5, millis(300), millis(2000), millis(5000), Duration.ofHours(3)));

  Extent {
    grounds = List.copyOf(grounds);
  }

  /**
   * What is measured on clusters of one size.
   *
   * @param replicas of each
   * @param clients of the curve of throughput against latency
   * @param readRatios at a fixed number of clients
   * @param keys of the contention
   * @param oneWayDelays between sites
   */
  record Ground(
      int replicas,
      List<Integer> clients,
      List<Double> readRatios,
      List<Integer> keys,
      List<Duration> oneWayDelays) {
    Ground {
      clients = List.copyOf(clients);
      readRatios = List.copyOf(readRatios);
      keys = List.copyOf(keys);
      oneWayDelays = List.copyOf(oneWayDelays);
    }
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
