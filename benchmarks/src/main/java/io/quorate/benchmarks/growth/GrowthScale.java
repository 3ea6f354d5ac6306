package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.paper.experiment.RunPlan;
import java.time.Duration;
import java.util.List;

/**
 * The parameters of the measurements.
 *
 * @param regions numbers of regions, ascending from 1
 * @param regionsInUseMax maximum number of regions that are all in use in a measurement
 * @param connections numbers of idle connections of clients, ascending
 * @param clients number of clients that call
 * @param keys number of keys
 * @param settle time without calls before memory is measured
 * @param limitTime how long each operation that is a limit of the machine is measured in a round
 * @param plan durations of every load
 */
record GrowthScale(
    List<Integer> regions,
    int regionsInUseMax,
    List<Integer> connections,
    int clients,
    int keys,
    Duration settle,
    Duration limitTime,
    RunPlan plan) {
  private static final List<Integer> REGIONS = List.of(1, 16, 256);
  private static final List<Integer> CONNECTIONS = List.of(100, 10_000);

  /** Of more regions, some would have to hibernate while others are in use. */
  private static final int REGIONS_IN_USE_MAX = 16;

  /** A run of a few minutes. */
  static final GrowthScale QUICK =
      new GrowthScale(
          REGIONS,
          REGIONS_IN_USE_MAX,
          CONNECTIONS,
          64,
          10_000,
          Duration.ofSeconds(5),
          Duration.ofMillis(100),
          new RunPlan(
              3,
              Duration.ofMillis(200),
              Duration.ofMillis(1500),
              Duration.ofSeconds(10),
              Duration.ofMinutes(20)));

  /** The full measurement. */
  static final GrowthScale FULL =
      new GrowthScale(
          REGIONS,
          REGIONS_IN_USE_MAX,
          CONNECTIONS,
          64,
          10_000,
          Duration.ofSeconds(30),
          Duration.ofMillis(200),
          new RunPlan(
              5,
              Duration.ofMillis(300),
              Duration.ofSeconds(4),
              Duration.ofSeconds(60),
              Duration.ofHours(1)));

  /** The same with other numbers of regions and connections. */
  GrowthScale of(List<Integer> otherRegions, List<Integer> otherConnections) {
    return new GrowthScale(
        otherRegions, regionsInUseMax, otherConnections, clients, keys, settle, limitTime, plan);
  }

  GrowthScale {
    regions = List.copyOf(regions);
    connections = List.copyOf(connections);
  }
}
