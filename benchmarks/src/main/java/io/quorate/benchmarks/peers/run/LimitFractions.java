package io.quorate.benchmarks.peers.run;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.limits.Limit;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.EnumMap;
import java.util.Map;

/**
 * Relates the figures of a contender to the limits of the machine in the same round. Without side
 * effects.
 */
final class LimitFractions {
  private static final double PERCENT = 100;
  private static final double BYTES_PER_MB = 1e6;

  private final Map<Limit, Double> limits;
  private final int cores;

  /**
   * @param limits those that were measured in the round; may be empty
   * @param cores number of processors of the machine
   */
  LimitFractions(Map<Limit, Double> limits, int cores) {
    this.limits = Map.copyOf(limits);
    this.cores = cores;
  }

  /**
   * The fractions that have a meaning for the load, in percent; without those whose figures or
   * limits were not measured.
   *
   * @param nodes number of nodes of the contender, each of which stores every value
   */
  Map<Metric, Double> of(ClientLoad load, Map<Metric, Double> figures, int nodes) {
    Map<Metric, Double> fractions = new EnumMap<>(Metric.class);
    boolean onlyPuts = load.mix().share(CallKind.PUT) == 1;
    if (load.clients() == 1) {
      if (onlyPuts) {
        double roundTrips = nodes > 1 ? 2 : 1;
        put(
            fractions,
            Metric.LATENCY_FLOOR,
            limit(Limit.SYNC_P50) + roundTrips * limit(Limit.ROUND_TRIP_P50),
            figure(figures, Metric.WRITE_P50));
      } else if (load.mix().share(CallKind.GET) == 1) {
        put(
            fractions,
            Metric.LATENCY_FLOOR,
            limit(Limit.ROUND_TRIP_P50),
            figure(figures, Metric.READ_P50));
      }
    } else {
      put(fractions, Metric.CORES, figure(figures, Metric.CPU) / PERCENT, cores);
      if (onlyPuts) {
        put(
            fractions,
            Metric.DISK_BANDWIDTH,
            figure(figures, Metric.THROUGHPUT) * load.valueBytes() * nodes,
            limit(Limit.DISK_BANDWIDTH) * BYTES_PER_MB);
      }
    }
    return fractions;
  }

  /** Not a number if it was not measured; no fraction of it is kept. */
  private double limit(Limit limit) {
    return limits.getOrDefault(limit, Double.NaN);
  }

  private static double figure(Map<Metric, Double> figures, Metric metric) {
    return figures.getOrDefault(metric, Double.NaN);
  }

  private static void put(Map<Metric, Double> fractions, Metric metric, double part, double whole) {
    double percent = PERCENT * part / whole;
    if (Double.isFinite(percent)) {
      fractions.put(metric, percent);
    }
  }
}
