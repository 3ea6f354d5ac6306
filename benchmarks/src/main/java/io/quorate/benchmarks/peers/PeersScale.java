package io.quorate.benchmarks.peers;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param clients numbers of clients of puts and of gets, ascending
 * @param manyClients number of clients of the other loads and of the plots of one load
 * @param keys number of keys with values of common length
 * @param valueBytes the common length
 * @param largeKeys number of keys with large values
 * @param largeValueBytes length of large values
 * @param plan durations of every load
 */
record PeersScale(
    List<Integer> clients,
    int manyClients,
    int keys,
    int valueBytes,
    int largeKeys,
    int largeValueBytes,
    RunPlan plan) {

  /** A run of a few minutes. */
  static final PeersScale QUICK =
      new PeersScale(
          List.of(1, 64, 256),
          64,
          10_000,
          1 << 10,
          200,
          64 << 10,
          new RunPlan(
              3, millis(200), millis(1500), Duration.ofSeconds(15), Duration.ofMinutes(20)));

  /** The full comparison. */
  static final PeersScale FULL =
      new PeersScale(
          List.of(1, 64, 256),
          64,
          10_000,
          1 << 10,
          200,
          64 << 10,
          new RunPlan(5, millis(300), millis(4000), Duration.ofSeconds(30), Duration.ofHours(2)));

  PeersScale {
    clients = List.copyOf(clients);
  }

  private static Duration millis(long millis) {
    return Duration.ofMillis(millis);
  }
}
