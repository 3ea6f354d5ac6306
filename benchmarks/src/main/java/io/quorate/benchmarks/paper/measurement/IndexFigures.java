package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.paper.result.Metric;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Computes figures from a series of samples. Without side effects. */
final class IndexFigures {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MILLIS_PER_SECOND = 1e3;

  private IndexFigures() {}

  /**
   * Computes the rate of advance of both indexes, the gap between them, and the time that the gap
   * takes at the rate of the commit index.
   *
   * @param samples ordered by time
   * @return empty for fewer than two samples
   */
  static Map<Metric, Double> of(List<IndexSample> samples) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    if (samples.size() < 2) {
      return figures;
    }
    IndexSample first = samples.get(0);
    IndexSample last = samples.get(samples.size() - 1);
    double seconds = (last.atNanos() - first.atNanos()) / NANOS_PER_SECOND;
    double committed = (last.committed() - first.committed()) / seconds;
    double gap = samples.stream().mapToLong(IndexSample::gap).average().orElseThrow();
    figures.put(Metric.READ_INDEX, committed);
    figures.put(Metric.APPLIED_INDEX, (last.applied() - first.applied()) / seconds);
    figures.put(Metric.GAP, gap);
    figures.put(
        Metric.GAP_MAX, (double) samples.stream().mapToLong(IndexSample::gap).max().orElseThrow());
    if (committed > 0) {
      figures.put(Metric.LAG, gap / committed * MILLIS_PER_SECOND);
    }
    return figures;
  }
}
