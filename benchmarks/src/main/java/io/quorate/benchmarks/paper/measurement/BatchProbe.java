package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Compares the nodes' counters at the end with those at the beginning. */
final class BatchProbe implements Probe {
  private final List<NodePlan> nodes;
  private final Scrape before;

  private BatchProbe(List<NodePlan> nodes, Scrape before) {
    this.nodes = nodes;
    this.before = before;
  }

  /**
   * Starts the measurement. Blocks.
   *
   * @throws IOException if a node does not report its metrics
   */
  static BatchProbe open(List<NodePlan> nodes) throws IOException, InterruptedException {
    return new BatchProbe(nodes, Scrape.of(nodes));
  }

  @Override
  public Map<Metric, Double> end(long commands) throws IOException, InterruptedException {
    return new BatchCosts(before, Scrape.of(nodes)).metrics(nodes.size(), commands);
  }

  @Override
  public void close() {}
}
