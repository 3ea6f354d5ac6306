package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.metrics.LogSyncs;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Measures how often the nodes sync their logs, the mean of all nodes. */
public final class SyncProbe implements Probe {
  private static final double NANOS_PER_SECOND = 1e9;

  private final List<NodePlan> nodes;
  private final double before;
  private final long openedNanos;

  private SyncProbe(List<NodePlan> nodes, double before) {
    this.nodes = nodes;
    this.before = before;
    this.openedNanos = System.nanoTime();
  }

  /**
   * Begins a measurement. Blocks.
   *
   * @throws IOException if a node does not report its metrics
   */
  public static SyncProbe open(List<NodePlan> nodes) throws IOException, InterruptedException {
    return new SyncProbe(nodes, LogSyncs.of(Scrape.of(nodes)));
  }

  @Override
  public Map<Metric, Double> end(long commands) throws IOException, InterruptedException {
    long tookNanos = System.nanoTime() - openedNanos;
    double syncs = LogSyncs.of(Scrape.of(nodes)) - before;
    return Map.of(Metric.SYNCS_PER_SECOND, syncs / nodes.size() / (tookNanos / NANOS_PER_SECOND));
  }

  @Override
  public void close() {}
}
