package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.kv.ClientPool;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.testbed.DiskUse;
import io.quorate.benchmarks.paper.testbed.Leader;
import io.quorate.benchmarks.paper.testbed.SocketWatch;
import io.quorate.consensus.NodeId;
import io.quorate.server.localcluster.NodePlan;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Measures how many bytes the leader sends to the other nodes, and how many each node writes and
 * keeps, for each of a number of new values. A measurement includes the work that nodes do after
 * their responses, such as flushes and the truncation of the log: it begins and ends while the
 * disks are idle.
 */
final class ByteCosts {
  private static final long POLL_MILLIS = 1000;

  /** Longer than the intervals at which nodes flush and truncate, where this is measured. */
  private static final int IDLE_POLLS = 3;

  private static final int POLLS_MAX = 60;

  /** Idle nodes write a little, such as lines of RocksDB's own log. */
  private static final long IDLE_BYTES_MAX = 256 << 10;

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
    awaitIdle();
    NodeId leader = Leader.of(clients.status().join());
    List<DiskUse> before = disks();
    try (SocketWatch sockets = SocketWatch.start()) {
      writes.run();
      awaitIdle();
      if (!Leader.of(clients.status().join()).equals(leader)) {
        return Map.of();
      }
      int index = nodes.stream().map(node -> node.plan().id()).toList().indexOf(leader);
      long pid = nodes.get(index).handle().orElseThrow().pid();
      long sent = sockets.highest().sentSince(sockets.first(), pid, peerPorts());
      return figures(before, disks(), index, sent, values);
    }
  }

  /**
   * Computes the figures from the counters before and after. Without side effects.
   *
   * @param leader index of the leader in the lists of all nodes
   * @param sentBytes what the leader sent to the other nodes
   */
  static Map<Metric, Double> figures(
      List<DiskUse> before, List<DiskUse> after, int leader, long sentBytes, int values) {
    double unit = BYTES_PER_KIB * values;
    double written = 0;
    double stored = 0;
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    figures.put(Metric.LEADER_SENT, sentBytes / unit);
    for (int i = 0; i < before.size(); i++) {
      double nodeWritten = (after.get(i).writtenBytes() - before.get(i).writtenBytes()) / unit;
      double nodeStored = (after.get(i).storedBytes() - before.get(i).storedBytes()) / unit;
      if (i == leader) {
        figures.put(Metric.LEADER_WRITTEN, nodeWritten);
        figures.put(Metric.LEADER_STORED, nodeStored);
      } else {
        written += nodeWritten;
        stored += nodeStored;
      }
    }
    int followers = before.size() - 1;
    if (followers > 0) {
      figures.put(Metric.FOLLOWER_WRITTEN, written / followers);
      figures.put(Metric.FOLLOWER_STORED, stored / followers);
    }
    // A directory in memory is not written to any disk.
    figures.values().removeIf(figure -> figure == 0);
    return figures;
  }

  private List<DiskUse> disks() throws IOException {
    List<DiskUse> disks = new ArrayList<>();
    for (NodeProcess node : nodes) {
      disks.add(DiskUse.of(node));
    }
    return disks;
  }

  /** The ports on which nodes accept connections of each other. */
  private Set<Integer> peerPorts() {
    Set<Integer> ports = new HashSet<>();
    for (NodeProcess node : nodes) {
      NodePlan plan = node.plan();
      ports.add(plan.consensusPort());
      ports.add(plan.transportPort());
    }
    return ports;
  }

  private void awaitIdle() throws IOException, InterruptedException {
    List<DiskUse> last = disks();
    int idle = 0;
    for (int poll = 0; poll < POLLS_MAX && idle < IDLE_POLLS; poll++) {
      // Nodes notify of no end of their work.
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
      List<DiskUse> now = disks();
      idle = isIdle(last, now) ? idle + 1 : 0;
      last = now;
    }
  }

  /** Whether the nodes have hardly changed their disks between the two readings. */
  static boolean isIdle(List<DiskUse> before, List<DiskUse> after) {
    long changed = 0;
    for (int i = 0; i < before.size(); i++) {
      changed += Math.abs(after.get(i).writtenBytes() - before.get(i).writtenBytes());
      changed += Math.abs(after.get(i).storedBytes() - before.get(i).storedBytes());
    }
    return changed <= IDLE_BYTES_MAX;
  }
}
