package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.kv.KeyChoice;
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
 * @param hotSpots distributions in which a part of the keys receives most calls
 * @param leaderPercents fixed percentages of the reads by the leader
 * @param corePercent CPU limit of each node in percent of a core, where CPU is limited
 * @param corePercentOfSlow the same for the slow node
 * @param plan durations of every case with a closed loop alone
 * @param openLoop the parameters of the open loop
 */
record QuorumScale(
    int replicas,
    boolean allApproaches,
    int keys,
    List<Integer> clients,
    List<Double> readRatios,
    List<Integer> hotKeys,
    List<KeyChoice> hotSpots,
    List<Integer> leaderPercents,
    int corePercent,
    int corePercentOfSlow,
    RunPlan plan,
    OpenLoop openLoop) {

  /**
   * The parameters of the open loop, and of the closed loop that determines its rates.
   *
   * @param clients number of clients with which all systems are saturated in the closed loop
   * @param offered rates of the open loop, relative to the throughput of the leader in the closed
   *     loop
   * @param inFlightMax maximum number of calls in flight
   * @param corePercent CPU limit of each node in percent of a core
   * @param plan durations of every case
   */
  record OpenLoop(
      int clients, List<Double> offered, int inFlightMax, int corePercent, RunPlan plan) {
    OpenLoop {
      offered = List.copyOf(offered);
    }
  }

  /** Calls that wait at the same time share work, so more clients than few hundred are served. */
  private static final int CLIENTS_SATURATING = 1024;

  private static final int IN_FLIGHT_MAX = 4096;

  /** Five nodes have a core together, and leave another one to the clients. */
  private static final int OPEN_LOOP_CORE_PERCENT = 20;

  /** A run of a few minutes. */
  static final QuorumScale QUICK =
      new QuorumScale(
          5,
          false,
          5000,
          List.of(8, 80),
          List.of(0.5, 0.95),
          List.of(10),
          List.of(KeyChoice.HOT_HUNDREDTH),
          List.of(0, 50),
          25,
          10,
          RunPlan.ofMillis(3, 100, 500, 2500, Duration.ofSeconds(210)),
          new OpenLoop(
              CLIENTS_SATURATING,
              List.of(0.5, 0.95, 1.2),
              IN_FLIGHT_MAX,
              OPEN_LOOP_CORE_PERCENT,
              RunPlan.ofMillis(3, 1000, 3000, 5000, Duration.ofSeconds(60))));

  /** The full evaluation. */
  static final QuorumScale FULL =
      new QuorumScale(
          5,
          true,
          100_000,
          List.of(1, 10, 20, 40, 80),
          List.of(0.3, 0.5, 0.7, 0.9, 0.95, 0.99),
          List.of(1, 10, 100),
          List.of(KeyChoice.HOT_FIFTH, KeyChoice.HOT_HUNDREDTH, KeyChoice.HOT_THOUSANDTH),
          List.of(0, 25, 50, 75, 100),
          25,
          10,
          RunPlan.ofMillis(4, 300, 2000, 8000, Duration.ofHours(3)),
          new OpenLoop(
              CLIENTS_SATURATING,
              List.of(0.3, 0.5, 0.7, 0.85, 0.95, 1.0, 1.2),
              IN_FLIGHT_MAX,
              OPEN_LOOP_CORE_PERCENT,
              RunPlan.ofMillis(3, 1500, 5000, 8000, Duration.ofMinutes(14))));

  QuorumScale {
    clients = List.copyOf(clients);
    readRatios = List.copyOf(readRatios);
    hotKeys = List.copyOf(hotKeys);
    hotSpots = List.copyOf(hotSpots);
    leaderPercents = List.copyOf(leaderPercents);
  }
}
