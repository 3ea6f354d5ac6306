package io.quorate.server.placement;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.Locale;
import java.util.Optional;

/** Plans splits of regions. Pure. */
final class Splits {
  /** As for the first regions of a cluster. */
  private static final int REGIONS_MAX = 4096;

  private Splits() {}

  /**
   * The topology in which the next regions that are too large are to be split.
   *
   * @param splitsMax the most splits that are planned at the same time
   * @param limits what a split needs
   */
  static StoredTopology next(ClusterPicture picture, int splitsMax, SplitLimits limits) {
    StoredTopology next = picture.topology();
    long planned = next.assignments().stream().filter(each -> each.split().isPresent()).count();
    for (RegionAssignment region : next.regions().regions()) {
      Optional<Key> at =
          Optional.ofNullable(picture.splitKeys().get(region.id()))
              .filter(key -> region.isStable() && isWithin(key, region));
      if (at.isPresent()
          && planned < splitsMax
          && next.regions().regions().size() + planned < REGIONS_MAX
          && incapableNode(next, region, limits).isEmpty()
          && fullNode(next, region, limits).isEmpty()) {
        next = plan(next, at.get(), limits);
        planned++;
      }
    }
    return next;
  }

  /** A report may be from before the last split. */
  private static boolean isWithin(Key at, RegionAssignment region) {
    return region.range().contains(at) && !region.range().start().equals(at);
  }

  /**
   * The topology in which the region that has a key is to be split there; the same one if a region
   * begins at the key, or is going to.
   *
   * @param limits what a split needs
   * @throws ConsensusException.Invalid if the key is empty, or a node of the region has as many
   *     replicas as allowed
   * @throws ConsensusException.Unavailable while another change of the region is planned, or a node
   *     of the region has not registered with a version that can split regions
   */
  static StoredTopology plan(StoredTopology topology, Key at, SplitLimits limits) {
    if (at.equals(Key.EMPTY)) {
      throw new ConsensusException.Invalid("A region is split at a key of at least 1 byte.");
    }
    RegionAssignment region = topology.regions().byKey(at);
    boolean isPlanned = region.split().filter(split -> split.at().equals(at)).isPresent();
    if (isPlanned || region.range().start().equals(at)) {
      return topology;
    }
    if (!region.isStable()) {
      throw new ConsensusException.Unavailable(
          region.underWay().orElseThrow() + " is under way; try again when it is complete.");
    }
    Optional<NodeId> incapable = incapableNode(topology, region, limits);
    if (incapable.isPresent()) {
      throw new ConsensusException.Unavailable(
          String.format(
              Locale.ROOT,
              "Node %s, which has a replica of region %s, has not registered with a version that can split regions; start it with this version, or replace it.",
              incapable.get(),
              region.id()));
    }
    Optional<NodeId> full = fullNode(topology, region, limits);
    if (full.isPresent()) {
      throw new ConsensusException.Invalid(
          String.format(
              Locale.ROOT,
              "Node %s has %d replicas, as many as placement.replicas-max allows; raise it, and the memory of"
                  + " the nodes with it.",
              full.get(),
              limits.replicasMax()));
    }
    return topology.with(region.planned(new PlannedSplit(at, topology.nextNumber())));
  }

  /**
   * A node of the region whose version may not know the command, and would diverge. It need not
   * respond: what it has registered stands.
   */
  private static Optional<NodeId> incapableNode(
      StoredTopology topology, RegionAssignment region, SplitLimits limits) {
    return region.replicas().stream()
        .filter(
            node ->
                topology
                    .node(node)
                    .map(NodeEntry::ranges)
                    .filter(has -> has.covers(limits.needed()))
                    .isEmpty())
        .findFirst();
  }

  /** A node of the region that could not have one more replica; planned splits count. */
  private static Optional<NodeId> fullNode(
      StoredTopology topology, RegionAssignment region, SplitLimits limits) {
    return region.replicasAfterChange().stream()
        .filter(node -> replicas(topology, node) >= limits.replicasMax())
        .findFirst();
  }

  private static int replicas(StoredTopology topology, NodeId node) {
    return topology.regions().regions().stream()
        .filter(region -> region.replicasAfterChange().contains(node))
        .mapToInt(region -> region.split().isPresent() ? 2 : 1)
        .sum();
  }
}
