package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.cluster.DiskUse;
import io.quorate.benchmarks.cluster.IdleDisks;
import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.testbed.Leader;
import io.quorate.benchmarks.paper.testbed.SocketWatch;
import io.quorate.model.NodeId;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Measures how many bytes the leader sends to the other nodes, and how many the nodes write and
 * keep, for each of a number of new values. A measurement includes the work that nodes do after
 * their responses, such as flushes and the truncation of the log: it begins and ends while the
 * disks are idle.
 */
final class ByteCosts {
  private static final double BYTES_PER_KIB = 1 << 10;

  private final List<NodeProcess> nodes;
  private final ClientPool clients;

  /** The writes whose costs are measured. */
  interface Writes {
    void run() throws IOException, InterruptedException;
  }

  /**
   * @param nodes all nodes of the cluster
   */
  ByteCosts(List<NodeProcess> nodes, ClientPool clients) {
    this.nodes = nodes;
    this.clients = clients;
  }

  /**
   * Executes the writes and returns their costs. Blocks until the disks are idle before and after,
   * but at most for a minute each.
   *
   * @param values number of values that are written
   * @return empty if the leader has changed in between
   * @throws IOException if the writes fail, or the system or a node does not report its counters
   */
  Map<Metric, Double> measure(int values, Writes writes) throws IOException, InterruptedException {
    DiskUse before = IdleDisks.await(nodes);
    NodeId leader = Leader.await(clients);
    try (SocketWatch sockets = SocketWatch.start()) {
      writes.run();
      DiskUse after = IdleDisks.await(nodes);
      if (!Leader.await(clients).equals(leader)) {
        return Map.of();
      }
      int index = nodes.stream().map(node -> node.plan().id()).toList().indexOf(leader);
      long pid = nodes.get(index).handle().orElseThrow().pid();
      long sent = sockets.highest().sentSince(sockets.first(), pid, peerPorts());
      return figures(before, after, index, sent, values);
    }
  }

  /**
   * Computes the figures from the counters before and after. Without side effects.
   *
   * @param leader index of the leader in the lists of all nodes
   * @param sentBytes what the leader sent to the other nodes
   */
  static Map<Metric, Double> figures(
      DiskUse before, DiskUse after, int leader, long sentBytes, int values) {
    int nodes = before.storedBytes().size();
    double unit = BYTES_PER_KIB * values;
    double stored = 0;
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.LEADER_SENT, sentBytes / unit);
    for (int i = 0; i < nodes; i++) {
      double nodeStored = (after.storedBytes().get(i) - before.storedBytes().get(i)) / unit;
      if (i == leader) {
        figures.put(Metric.LEADER_STORED, nodeStored);
      } else {
        stored += nodeStored;
      }
    }
    if (nodes > 1) {
      figures.put(Metric.FOLLOWER_STORED, stored / (nodes - 1));
    }
    // Nodes may share a device, so that what each has written is not known.
    figures.put(Metric.WRITTEN, (after.writtenBytes() - before.writtenBytes()) / unit / nodes);
    // A directory in memory is not written to any disk.
    figures.values().removeIf(figure -> figure == 0);
    return figures;
  }

  /** The ports on which nodes accept connections of each other. */
  private Set<Integer> peerPorts() {
    Set<Integer> ports = new HashSet<>();
    for (NodeProcess node : nodes) {
      ports.add(node.plan().consensusPort());
    }
    return ports;
  }
}
