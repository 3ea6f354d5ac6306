package io.quorate.server.placement;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.Operation;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Plans merges of regions. Pure. */
final class Merges {
  private Merges() {}

  /**
   * The topology in which the region that begins at a key is to be merged with the one before it;
   * the same one if no region begins at the key, or if that is planned.
   *
   * @param needed what the regions of the cluster need: with bodies, no merge is possible
   * @param isOpen whether a node reports that its replica of a region is open
   * @throws ConsensusException.Invalid if the key is empty, the regions have their replicas on
   *     different nodes, or values may be bodies
   * @throws ConsensusException.Unavailable while another change of one of the regions is planned,
   *     as also the split by which the second one begins; while one of their nodes does not
   *     respond, has yet to apply a split, or has not opened its replica; and if a node of the
   *     cluster has not registered with a version that can merge regions
   */
  static StoredTopology plan(
      ClusterPicture picture, Key at, RangeSupport needed, BiPredicate<GroupId, NodeId> isOpen) {
    StoredTopology topology = picture.topology();
    if (at.equals(Key.EMPTY)) {
      throw new ConsensusException.Invalid(
          "The first region has no region before it; name the first key of another one.");
    }
    RegionAssignment absorbed = topology.regions().byKey(at);
    if (absorbed.split().filter(planned -> planned.at().equals(at)).isPresent()) {
      // Clients may know the new region already.
      requireStable(absorbed);
    }
    if (!absorbed.range().start().equals(at) || absorbed.isToBeAbsorbed()) {
      return topology;
    }
    if (needed.covers(RangeSupport.SPLITS)) {
      throw new ConsensusException.Invalid(
          "Regions whose large values are coded (replication = coded) are not merged.");
    }
    RegionAssignment into = topology.regions().before(absorbed);
    requireStable(into);
    requireStable(absorbed);
    if (!new HashSet<>(into.replicas()).equals(new HashSet<>(absorbed.replicas()))) {
      throw new ConsensusException.Invalid(
          String.format(
              Locale.ROOT,
              "Region %s has its replicas on %s, and region %s on %s; move them to the same nodes first.",
              into.id(),
              into.replicas(),
              absorbed.id(),
              absorbed.replicas()));
    }
    Optional<NodeId> incapable = incapableNode(topology);
    if (incapable.isPresent()) {
      throw new ConsensusException.Unavailable(
          String.format(
              Locale.ROOT,
              "Node %s has not registered as one that can merge regions; start it with this version, with commands of at least %d bytes allowed in the section of its engine, or replace it.",
              incapable.get(),
              Operation.Absorb.COMMAND_BYTES_MAX));
    }
    requireReplicas(picture, into, isOpen);
    requireReplicas(picture, absorbed, isOpen);
    PlannedMerge merge = new PlannedMerge(topology.nextNumber(), absorbed.id(), into.id());
    return topology.with(into.planned(merge), absorbed.planned(merge));
  }

  private static void requireStable(RegionAssignment region) {
    if (!region.isStable()) {
      throw new ConsensusException.Unavailable(
          region.underWay().orElseThrow() + " is under way; try again when it is complete.");
    }
  }

  /**
   * Requires that every node has its replica of a region, and has applied all splits. A merge can
   * wait for that. Afterwards a node may be down or behind: what it has of the region that ends is
   * replaced, and what was to begin there by a split that it has not applied would be lost.
   */
  private static void requireReplicas(
      ClusterPicture picture, RegionAssignment region, BiPredicate<GroupId, NodeId> isOpen) {
    for (NodeId node : region.replicas()) {
      if (!picture.responding().contains(node)) {
        throw new ConsensusException.Unavailable(
            String.format(
                Locale.ROOT,
                "Node %s, which has a replica of region %s, does not respond; a merge begins when it does, or when it is replaced.",
                node,
                region.id()));
      }
      // One that is not open yet may turn out to be lost.
      if (!isOpen.test(region.id(), node) || !picture.unsplit(node).isEmpty()) {
        throw new ConsensusException.Unavailable(
            String.format(
                Locale.ROOT,
                "Node %s has yet to open a replica of a region; try again when it has.",
                node));
      }
    }
  }

  /**
   * A node whose version may not know merges. Any node of the cluster counts, as each one may
   * receive a replica of the region, or store the topology, later.
   */
  private static Optional<NodeId> incapableNode(StoredTopology topology) {
    return topology.nodes().stream()
        .filter(node -> !node.ranges().covers(RangeSupport.MERGES))
        .map(NodeEntry::id)
        .findFirst();
  }
}
