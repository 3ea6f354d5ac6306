package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param sweeps one per cluster size
 * @param plan durations of every case
 */
record AcqrScale(List<Sweep> sweeps, RunPlan plan) {

  /** A run of a few minutes. */
  static final AcqrScale QUICK =
      new AcqrScale(
          List.of(
              new Sweep(
                  3,
                  List.of(1, 16, 256),
                  List.of(0.0, 0.5, 0.95, 1.0),
                  List.of(1, 1000),
                  List.of(millis(5), millis(20))),
              new Sweep(5, List.of(16, 256), List.of(0.5, 0.95), List.of(), List.of())),
          RunPlan.ofMillis(3, 100, 400, 1500, Duration.ofSeconds(270)));

  /** The full evaluation. */
  static final AcqrScale FULL =
      new AcqrScale(
          List.of(
              new Sweep(
                  3,
                  List.of(1, 4, 16, 64, 256, 1024),
                  List.of(0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
                  List.of(1, 10, 100, 1000),
                  List.of(millis(1), millis(5), millis(20), millis(50))),
              new Sweep(
                  5,
                  List.of(1, 4, 16, 64, 256, 1024),
                  List.of(0.0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0),
                  List.of(1, 10, 100, 1000),
                  List.of())),
          RunPlan.ofMillis(4, 300, 1500, 5000, Duration.ofMinutes(27)));

  AcqrScale {
    sweeps = List.copyOf(sweeps);
  }

  /**
   * The parameter values on clusters of one size.
   *
   * @param replicas number of replicas of each cluster
   * @param clients numbers of clients of the curve of throughput against latency
   * @param readRatios fractions of reads, at a fixed number of clients
   * @param keys numbers of keys of the contention experiment
   * @param oneWayDelays delays between sites
   */
  record Sweep(
      int replicas,
      List<Integer> clients,
      List<Double> readRatios,
      List<Integer> keys,
      List<Duration> oneWayDelays) {
    Sweep {
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
