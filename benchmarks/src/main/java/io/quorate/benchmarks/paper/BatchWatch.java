package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Compares the nodes' counters at the end with those at the beginning. */
final class BatchWatch implements Probe {
  private final List<NodePlan> nodes;
  private final Scrape before;

  private BatchWatch(List<NodePlan> nodes, Scrape before) {
    this.nodes = nodes;
    this.before = before;
  }

  /**
   * Starts the measurement. Blocks.
   *
   * @throws IOException if a node does not report its metrics
   */
  static BatchWatch open(List<NodePlan> nodes) throws IOException, InterruptedException {
    return new BatchWatch(nodes, Scrape.of(nodes));
  }

  @Override
  public Map<Metric, Double> end(long commands) throws IOException, InterruptedException {
    return new NodeCounts(before, Scrape.of(nodes)).metrics(nodes.size(), commands);
  }

  @Override
  public void close() {}
}
