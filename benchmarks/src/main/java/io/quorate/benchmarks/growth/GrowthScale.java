package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param presets of the clusters whose regions are all in use, measured one after the other
 * @param sizes of the clusters
 * @param clients numbers of clients that call, ascending; regions and connections that are idle are
 *     measured with the first
 * @param keys number of keys
 * @param fillKeys number of keys that are written once to measure the writes to disk; 0 for none
 * @param settle time without calls before memory is measured
 * @param limitTime how long each operation that is a limit of the machine is measured in a round
 * @param plan durations of every load
 */
record GrowthScale(
    List<String> presets,
    Sizes sizes,
    List<Integer> clients,
    int keys,
    int fillKeys,
    Duration settle,
    Duration limitTime,
    RunPlan plan) {
  /** Of more regions, some would have to hibernate while others are in use. */
  static final int BUSY_REGIONS_MAX = 64;

  private static final List<String> PRESETS = List.of("raft", "acqr");
  private static final List<Integer> BUSY_REGIONS = List.of(1, 16, BUSY_REGIONS_MAX);
  private static final List<Integer> IDLE_REGIONS = List.of(1, 256);
  private static final List<Integer> CLIENTS = List.of(64, 1024);
  private static final int KEYS = 10_000;

  /**
   * The clusters of a measurement.
   *
   * @param busyRegions numbers of regions that are all in use, ascending from 1
   * @param idleRegions numbers of regions of which one is in use, ascending from 1
   * @param connections numbers of idle connections of clients, ascending
   */
  record Sizes(List<Integer> busyRegions, List<Integer> idleRegions, List<Integer> connections) {
    Sizes {
      busyRegions = List.copyOf(busyRegions);
      idleRegions = List.copyOf(idleRegions);
      connections = List.copyOf(connections);
    }

    /**
     * @param regions ascending from 1; those that can all be in use are measured so too
     */
    static Sizes of(List<Integer> regions, List<Integer> connections) {
      return new Sizes(
          regions.stream().filter(each -> each <= BUSY_REGIONS_MAX).toList(), regions, connections);
    }
  }

  /** A run of less than five minutes. */
  static final GrowthScale QUICK =
      new GrowthScale(
          PRESETS,
          new Sizes(BUSY_REGIONS, IDLE_REGIONS, List.of(10_000)),
          CLIENTS,
          KEYS,
          0,
          Duration.ofSeconds(2),
          Duration.ofMillis(50),
          RunPlan.ofMillis(2, 200, 1000, 8000, Duration.ofMinutes(20)));

  /** The full measurement. */
  static final GrowthScale FULL =
      new GrowthScale(
          PRESETS,
          new Sizes(BUSY_REGIONS, IDLE_REGIONS, List.of(100, 10_000)),
          CLIENTS,
          KEYS,
          256 << 10,
          Duration.ofSeconds(15),
          Duration.ofMillis(200),
          RunPlan.ofMillis(5, 300, 3000, 45_000, Duration.ofHours(1)));

  GrowthScale {
    presets = List.copyOf(presets);
    clients = List.copyOf(clients);
  }

  /** The same with other presets. */
  GrowthScale ofPresets(List<String> others) {
    return new GrowthScale(others, sizes, clients, keys, fillKeys, settle, limitTime, plan);
  }

  /** The same with other clusters. */
  GrowthScale of(Sizes others) {
    return new GrowthScale(presets, others, clients, keys, fillKeys, settle, limitTime, plan);
  }
}
