package io.quorate.server.node.join;

import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.StoredTopology;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * What a node does next in order to join its cluster. Pure.
 *
 * <p>A node whose data directory was emptied cannot be told from a new one by its own files, and
 * must not vote again under its name. So a new node opens no replica before others have reported.
 * If any of them has received a topology, there is a cluster, whose topology contains the disk of
 * each node. If none has, this is the first start. The first start of a cluster of N nodes needs so
 * many nodes that have never received a topology that any two such sets have two nodes in common:
 * (N + 2) / 2, rounded up; of three nodes all, of five four. A cluster that has stored anything has
 * been started by such a set, and has data at a majority of it, of which at least one node then
 * reports its topology, unless two nodes have lost their disks.
 *
 * @param action what to do
 * @param reason why the node waits or stops; empty if it does not
 */
public record JoinDecision(Action action, String reason) {
  public enum Action {
    /** Open the replica of region 0: this is the first start of the cluster. */
    FOUND,
    /** Register this node's disk with the cluster. */
    REGISTER,
    /** Open the assigned replicas, and serve. */
    SERVE,
    /** Decide again later. */
    WAIT,
    /** End: the cluster has replaced the disk of this node, whose replicas would contradict it. */
    STOP
  }

  /**
   * @param self this node
   * @param disk the identity of its data directory
   * @param own how far it is
   * @param configured every node in its configuration, itself included
   * @param reports of the other nodes; one of a version that does not report it counts as joined
   * @param topology the stored topology, if any node has returned it
   */
  public static JoinDecision of(
      NodeId self,
      UUID disk,
      JoinState own,
      List<NodeId> configured,
      Peers.Reports reports,
      Optional<StoredTopology> topology) {
    if (topology.isPresent()) {
      return byEntry(self, disk, own, topology.get().node(self));
    }
    if (own == JoinState.JOINED || reports.states().containsValue(JoinState.JOINED)) {
      return waiting("no node has returned the topology of the cluster yet");
    }
    if (own == JoinState.FOUNDING) {
      return waiting("region 0, which has the topology of the cluster, has no leader yet");
    }
    List<String> missing =
        configured.stream()
            .filter(node -> !node.equals(self) && !reports.states().containsKey(node))
            .map(node -> missing(node, Optional.ofNullable(reports.problems().get(node))))
            .toList();
    int needed = nodesToFound(configured.size());
    return configured.size() - missing.size() >= needed
        ? new JoinDecision(Action.FOUND, "")
        : waiting(
            String.format(
                Locale.ROOT,
                "the first start of a cluster of %d nodes needs %d of them; waiting for %s",
                configured.size(),
                needed,
                String.join(", ", missing)));
  }

  private static String missing(NodeId node, Optional<String> problem) {
    return node + problem.map(sentence -> " (" + sentence + ")").orElse("");
  }

  private static JoinDecision byEntry(
      NodeId self, UUID disk, JoinState own, Optional<NodeEntry> entry) {
    if (entry.isEmpty()) {
      return waiting("node " + self + " is not in the cluster; \"node add\" adds it");
    }
    Optional<UUID> registered = entry.get().disk();
    if (registered.isEmpty()) {
      return new JoinDecision(own == JoinState.JOINED ? Action.SERVE : Action.REGISTER, "");
    }
    if (registered.get().equals(disk)) {
      return new JoinDecision(Action.SERVE, "");
    }
    return own == JoinState.NEW
        ? waiting(
            "node "
                + self
                + " is in the cluster with another disk; if that one is lost, \"node replace\""
                + " accepts the present one")
        : new JoinDecision(
            Action.STOP,
            "node "
                + self
                + " has another disk in the cluster by now than this one, which was replaced and must not"
                + " return: empty the directories of this node, or leave it off");
  }

  private static JoinDecision waiting(String reason) {
    return new JoinDecision(Action.WAIT, reason);
  }

  /** The number of nodes without which a cluster is not started for the first time. */
  static int nodesToFound(int nodes) {
    return Math.min(nodes, (nodes + 3) / 2);
  }
}
