package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.Latencies;
import io.quorate.benchmarks.kv.OpenLoopStats;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.EnumMap;
import java.util.Map;

/** The metrics of the calls of clients. */
public final class CallFigures {
  private static final double P50 = 50;
  private static final double P99 = 99;

  private CallFigures() {}

  /** The figures of a measurement; without those of calls that there were not. */
  public static Map<Metric, Double> of(WorkloadStats stats) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.THROUGHPUT, stats.throughput());
    figures.put(Metric.ERRORS, (double) stats.errors());
    put(figures, stats.reads(), Metric.READ_P50, Metric.READ_P99);
    put(figures, stats.writes(), Metric.WRITE_P50, Metric.WRITE_P99);
    put(figures, stats.scans(), Metric.SCAN_P50, Metric.SCAN_P99);
    putMean(figures, stats.reads(), Metric.READ_MEAN);
    putMean(figures, stats.writes(), Metric.WRITE_MEAN);
    return figures;
  }

  /** The figures of an open loop. */
  public static Map<Metric, Double> of(OpenLoopStats stats) {
    Map<Metric, Double> figures = of(stats.calls());
    figures.put(Metric.THROUGHPUT, stats.throughput());
    figures.put(Metric.OFFERED, stats.offeredRate());
    figures.put(Metric.DROPPED, stats.droppedPercent());
    if (stats.delays().count() > 0) {
      figures.put(Metric.SEND_DELAY_P99, stats.delays().millis(P99));
    }
    return figures;
  }

  private static void putMean(Map<Metric, Double> into, Latencies latencies, Metric mean) {
    if (latencies.count() > 0) {
      into.put(mean, latencies.meanMillis());
    }
  }

  private static void put(
      Map<Metric, Double> into, Latencies latencies, Metric median, Metric high) {
    if (latencies.count() > 0) {
      into.put(median, latencies.millis(P50));
      into.put(high, latencies.millis(P99));
    }
  }
}
