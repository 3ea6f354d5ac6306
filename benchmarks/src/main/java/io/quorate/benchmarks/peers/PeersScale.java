package io.quorate.benchmarks.peers;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param clients numbers of clients of puts and of gets, ascending
 * @param manyClients number of clients of the mixed load and of the plots of one load
 * @param keys number of keys with values of common length
 * @param valueBytes the common length
 * @param large the loads with large values
 * @param limitTime how long each operation that is a limit of the machine is measured in a round
 * @param plan durations of every load
 */
record PeersScale(
    List<Integer> clients,
    int manyClients,
    int keys,
    int valueBytes,
    List<LargeValues> large,
    Duration limitTime,
    RunPlan plan) {
  private static final List<LargeValues> LARGE =
      List.of(new LargeValues(64 << 10, 64, 200), new LargeValues(1 << 20, 8, 40));

  /** A run of a few minutes. */
  static final PeersScale QUICK =
      new PeersScale(
          List.of(1, 64, 256),
          64,
          10_000,
          1 << 10,
          LARGE,
          millis(200),
          new RunPlan(
              3, millis(200), millis(1500), Duration.ofSeconds(15), Duration.ofMinutes(20)));

  /** The full comparison. */
  static final PeersScale FULL =
      new PeersScale(
          List.of(1, 64, 256),
          64,
          10_000,
          1 << 10,
          LARGE,
          millis(400),
          new RunPlan(5, millis(300), millis(3500), Duration.ofSeconds(30), Duration.ofHours(2)));

  PeersScale {
    clients = List.copyOf(clients);
    large = List.copyOf(large);
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
