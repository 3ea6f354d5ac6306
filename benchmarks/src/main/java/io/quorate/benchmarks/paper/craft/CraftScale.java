package io.quorate.benchmarks.paper.craft;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param sweeps one per cluster size
 * @param plan durations of every case
 */
record CraftScale(List<Sweep> sweeps, RunPlan plan) {
  static final int KIB = 1 << 10;
  static final int MIB = 1 << 20;

  /** The bandwidth of each node in the paper. */
  private static final int PAPER_MEGABITS = 550;

  /** A bandwidth that is used up while a few cores for all nodes are not. */
  private static final int LOW_MEGABITS = 100;

  /** Maximum number of clients. */
  private static final int CLIENTS_MAX = 100;

  /** Bytes of the values in flight, at most: a node has half a gigabyte of heap. */
  private static final int BYTES_IN_FLIGHT_MAX = 32 * MIB;

  private static final int KEYS_MAX = 1000;

  /** Bytes of all values of a load, at most. */
  private static final int BYTES_OF_KEYS_MAX = 64 * MIB;

  /** A run of a few minutes. */
  static final CraftScale QUICK =
      new CraftScale(
          List.of(
              new Sweep(
                  5,
                  List.of(16 * KIB, 256 * KIB, MIB),
                  List.of(),
                  List.of(MIB),
                  List.of(256 * KIB),
                  List.of(MIB),
                  List.of())),
          RunPlan.ofMillis(3, 300, 1500, 2000, Duration.ofSeconds(210)));

  /** The full evaluation. */
  static final CraftScale FULL =
      new CraftScale(
          List.of(full(5), full(7)),
          RunPlan.ofMillis(3, 500, 10_000, 4000, Duration.ofMinutes(36)));

  CraftScale {
    sweeps = List.copyOf(sweeps);
  }

  /**
   * The parameter values on clusters of one size. Lists without a unit are lengths of values in
   * bytes.
   *
   * @param replicas number of replicas of each cluster, which is odd
   * @param written of the writes whose latency and throughput is measured
   * @param limited of the same with limited bandwidth
   * @param counted of the writes whose bytes are counted
   * @param duringOutage of the writes with fewer and fewer nodes
   * @param read of the values that a new leader reads
   * @param megabitsPerSecond limited bandwidths of each node
   */
  record Sweep(
      int replicas,
      List<Integer> written,
      List<Integer> limited,
      List<Integer> counted,
      List<Integer> duringOutage,
      List<Integer> read,
      List<Integer> megabitsPerSecond) {
    Sweep {
      written = List.copyOf(written);
      limited = List.copyOf(limited);
      counted = List.copyOf(counted);
      duringOutage = List.copyOf(duringOutage);
      read = List.copyOf(read);
      megabitsPerSecond = List.copyOf(megabitsPerSecond);
    }

    /** The number of nodes that may stop. */
    int faults() {
      return (replicas - 1) / 2;
    }
  }

  /** The number of clients at high load: fewer for long values, and at least 1. */
  static int clients(int valueBytes) {
    return Math.max(1, Math.min(CLIENTS_MAX, BYTES_IN_FLIGHT_MAX / valueBytes));
  }

  /** The number of keys: fewer for long values, and at least 2. */
  static int keys(int valueBytes) {
    return Math.max(2, Math.min(KEYS_MAX, BYTES_OF_KEYS_MAX / valueBytes));
  }

  private static Sweep full(int replicas) {
    return new Sweep(
        replicas,
        List.of(KIB, 16 * KIB, 64 * KIB, 256 * KIB, MIB, 2 * MIB),
        List.of(64 * KIB, MIB),
        List.of(64 * KIB, MIB),
        List.of(256 * KIB),
        List.of(256 * KIB, MIB),
        List.of(PAPER_MEGABITS, LOW_MEGABITS));
  }
}
