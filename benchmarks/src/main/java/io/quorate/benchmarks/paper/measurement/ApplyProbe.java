package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.testbed.Leader;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodePlan;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** Measures the time from commit to apply at the leader, from its counters. */
final class ApplyProbe implements Probe {
  private static final String LAG = "quorate_storage_apply_lag_seconds_total";
  private static final String COMMANDS = "quorate_storage_apply_commands_total";
  private static final double MILLIS_PER_SECOND = 1e3;

  private final List<NodePlan> nodes;
  private final ClientPool clients;
  private final NodeId leader;
  private final Scrape before;

  private ApplyProbe(List<NodePlan> nodes, ClientPool clients, NodeId leader, Scrape before) {
    this.nodes = nodes;
    this.clients = clients;
    this.leader = leader;
    this.before = before;
  }

  /**
   * Starts the measurement. Blocks.
   *
   * @throws IOException if no node leads, or the leader does not report its metrics
   */
  static ApplyProbe open(List<NodePlan> nodes, ClientPool clients)
      throws IOException, InterruptedException {
    NodeId leader = Leader.await(clients);
    return new ApplyProbe(nodes, clients, leader, scrape(nodes, leader));
  }

  private static Scrape scrape(List<NodePlan> nodes, NodeId leader)
      throws IOException, InterruptedException {
    return Scrape.of(nodes.stream().filter(node -> node.id().equals(leader)).toList());
  }

  /** Without a figure if another node leads now: no counter is of the leader's commands only. */
  @Override
  public Map<Metric, Double> end(long commands) throws IOException, InterruptedException {
    return Leader.await(clients).equals(leader) ? figures(before, scrape(nodes, leader)) : Map.of();
  }

  /** Computes the mean over the commands between two scrapes. Without side effects. */
  static Map<Metric, Double> figures(Scrape before, Scrape after) {
    double applied = increase(before, after, COMMANDS);
    return applied <= 0
        ? Map.of()
        : Map.of(
            Metric.COMMIT_TO_APPLY, increase(before, after, LAG) / applied * MILLIS_PER_SECOND);
  }

  private static double increase(Scrape before, Scrape after, String name) {
    return sum(after, name) - sum(before, name);
  }

  private static double sum(Scrape scrape, String name) {
    return scrape.sum(
        name, sample -> Leader.REGION.toString().equals(sample.labels().get("region")));
  }

  /** Adds the part of a write's time between commit and apply, if both times are known. */
  static void addShare(Map<Metric, Double> figures) {
    Double apply = figures.get(Metric.COMMIT_TO_APPLY);
    Double write = figures.get(Metric.WRITE_MEAN);
    if (apply != null && write != null && write > 0) {
      figures.put(Metric.APPLY_SHARE, apply / write);
    }
  }

  @Override
  public void close() {}
}
