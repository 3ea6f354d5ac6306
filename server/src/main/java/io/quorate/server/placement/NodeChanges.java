package io.quorate.server.placement;

import io.quorate.common.HostPort;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * The changes of nodes that operators request, each as a function from the stored topology to the
 * next one, which is the same where nothing is to change. Pure. What cannot be is refused by {@link
 * ConsensusException.Invalid}, and what cannot be now by {@link ConsensusException.Unavailable}.
 */
final class NodeChanges {
  /** In a message. */
  private static final int REGIONS_NAMED_MAX = 8;

  private NodeChanges() {}

  /**
   * A node joins.
   *
   * @param added the node with its disk
   */
  static StoredTopology add(StoredTopology topology, NodeEntry added) {
    UUID disk = requireDisk(added);
    Optional<NodeEntry> present = topology.node(added.id());
    if (present.isEmpty()) {
      requireFreeAddress(topology, added);
      return topology.with(added);
    }
    if (present.get().disk().equals(Optional.of(disk))) {
      return topology;
    }
    throw new ConsensusException.Invalid(
        "Node "
            + added.id()
            + " is in the cluster already, with another disk; if that one is lost, use \"node"
            + " replace\".");
  }

  private static UUID requireDisk(NodeEntry node) {
    return node.disk()
        .orElseThrow(
            () ->
                new ConsensusException.Invalid(
                    "Node " + node.id() + " reports no identity of its disk."));
  }

  private static void requireFreeAddress(StoredTopology topology, NodeEntry added) {
    for (NodeEntry other : topology.nodes()) {
      if (other.node().host().equals(added.node().host())
          && other.node().clientPort() == added.node().clientPort()) {
        throw new ConsensusException.Invalid(
            String.format(
                Locale.ROOT,
                "Node %s has the address %s already.",
                other.id(),
                HostPort.text(other.node().host(), other.node().clientPort())));
      }
    }
  }

  /** A node is to have no replicas. */
  static StoredTopology drain(StoredTopology topology, NodeId id) {
    NodeEntry node = require(topology, id);
    StoredTopology drained = topology.with(node.draining(true));
    int left = ReplicaPlacement.activeNodes(drained);
    for (RegionAssignment region : topology.regions().regions()) {
      int copies = region.replicasAfterChange().size();
      if (copies > left && region.replicasAfterChange().contains(id)) {
        throw new ConsensusException.Invalid(
            String.format(
                Locale.ROOT,
                "Region %s has %d replicas, and without %s only %d %s left to hold them; add a node first.",
                region.id(),
                copies,
                id,
                left,
                left == 1 ? "node is" : "nodes are"));
      }
    }
    if (left == 0) {
      throw new ConsensusException.Invalid("Node " + id + " is the last one.");
    }
    return node.isDraining() ? topology : drained;
  }

  /** A node may have replicas again. */
  static StoredTopology undrain(StoredTopology topology, NodeId id) {
    NodeEntry node = require(topology, id);
    return node.isDraining() ? topology.with(node.draining(false)) : topology;
  }

  /** A node without replicas leaves. */
  static StoredTopology remove(StoredTopology topology, NodeId id) {
    require(topology, id);
    List<String> regions =
        topology.assignments().stream()
            .filter(region -> region.concerns(id))
            .map(region -> region.id().toString())
            .toList();
    if (!regions.isEmpty()) {
      throw new ConsensusException.Invalid(
          String.format(
              Locale.ROOT,
              "Node %s has replicas of %s %s; drain it first.",
              id,
              regions.size() == 1 ? "region" : "regions",
              String.join(", ", regions)));
    }
    return topology.without(id);
  }

  /**
   * A node has another disk, and the replicas on the former one are lost: each of its groups is to
   * continue without it. Missing replicas are added afterwards, like all that are missing. The disk
   * is accepted when that is planned for all of its groups; until then, it is for those for which
   * it can be.
   *
   * @param replaced the node with its new disk
   */
  static NodeChange replace(StoredTopology topology, NodeEntry replaced) {
    UUID disk = requireDisk(replaced);
    NodeEntry former = require(topology, replaced.id());
    if (former.disk().equals(Optional.of(disk))) {
      return new NodeChange(topology);
    }
    StoredTopology next = topology;
    List<ConsensusException> left = new ArrayList<>();
    for (RegionAssignment region : topology.assignments()) {
      if (region.concerns(replaced.id())) {
        try {
          next = next.with(withoutLost(region, replaced.id()));
        } catch (ConsensusException.Unavailable | ConsensusException.Invalid e) {
          left.add(e);
        }
      }
    }
    return left.isEmpty()
        ? new NodeChange(next.with(replaced.draining(former.isDraining())))
        : new NodeChange(next, Optional.of(notYet(replaced.id(), left)));
  }

  /** Names the regions that keep a node's disk from being replaced. */
  private static ConsensusException notYet(NodeId node, List<ConsensusException> left) {
    String reasons =
        left.stream()
            .limit(REGIONS_NAMED_MAX)
            .map(Throwable::getMessage)
            .collect(Collectors.joining(" "));
    String message =
        String.format(
            Locale.ROOT,
            "The new disk of %s is not accepted yet, because %d of its regions cannot continue without"
                + " the former one now; the others are to. %s",
            node,
            left.size(),
            reasons);
    return left.stream().allMatch(ConsensusException.Unavailable.class::isInstance)
        ? new ConsensusException.Unavailable(message)
        : new ConsensusException.Invalid(message);
  }

  private static RegionAssignment withoutLost(RegionAssignment region, NodeId lost) {
    if (region.isJoinedBy(lost)) {
      return region.withdrawn();
    }
    if (region.change().filter(change -> change.isFrom(lost)).isPresent()) {
      return region;
    }
    boolean isToStay = region.isTakenBack() && region.change().get().isTo(lost);
    if (!region.isStable() && !isToStay) {
      throw new ConsensusException.Unavailable(
          region.underWay().orElseThrow() + " is under way; try again when it is complete.");
    }
    if (region.replicas().size() < 3) {
      throw new ConsensusException.Invalid(
          String.format(
                  Locale.ROOT,
                  "Region %s has its replicas on %s, which have no majority without %s: what the lost disk",
                  region.id(),
                  region.replicas(),
                  lost)
              + " held cannot be restored from the others.");
    }
    return region.planned(ReplicaChange.remove(lost));
  }

  /**
   * A node registers its present description, and its disk, if it has none yet.
   *
   * @param reported the node with its disk
   */
  static StoredTopology register(StoredTopology topology, NodeEntry reported) {
    UUID disk = requireDisk(reported);
    NodeEntry present = require(topology, reported.id());
    if (present.disk().isPresent() && !present.disk().get().equals(disk)) {
      throw new ConsensusException.Invalid(
          "Node " + reported.id() + " is in the cluster with another disk.");
    }
    NodeEntry registered = reported.draining(present.isDraining());
    return registered.equals(present) ? topology : topology.with(registered);
  }

  private static NodeEntry require(StoredTopology topology, NodeId id) {
    return topology
        .node(id)
        .orElseThrow(
            () ->
                new ConsensusException.Invalid(
                    "The cluster has no node " + id + ", but " + names(topology) + "."));
  }

  private static String names(StoredTopology topology) {
    return String.join(", ", topology.nodes().stream().map(node -> node.id().value()).toList());
  }
}
