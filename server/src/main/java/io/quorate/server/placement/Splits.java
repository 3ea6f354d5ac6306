package io.quorate.server.placement;

import io.quorate.client.cluster.PlacementState;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Decides which regions are split, and plans that. Pure. */
final class Splits {
  /** As for the first regions of a cluster. */
  private static final int REGIONS_MAX = 4096;

  /**
   * Regions that are split by themselves make no more replicas a node on average: each needs
   * memory. Where data grows at its end, regions would become smaller and more without bound.
   */
  private static final int REPLICAS_PER_NODE_MAX = 16;

  /** With a hundred bytes each. */
  private static final int WHOLE_REGIONS_MAX = 100;

  private Splits() {}

  /**
   * What is planned next.
   *
   * @param next the topology with it
   * @param events what is planned, in its order
   */
  record Planned(StoredTopology next, List<PlacementEvent> events) {}

  /**
   * Plans the next splits of regions that are too large or too busy, the largest first, at most
   * {@link PlacementConfig#changesMax} at the same time.
   *
   * @param needed what each node of a region that splits must support
   */
  static Planned next(ClusterPicture picture, PlacementConfig config, RangeSupport needed) {
    StoredTopology next = picture.topology();
    List<PlacementEvent> events = new ArrayList<>();
    PieceSize pieces = PieceSize.of(picture, config);
    long planned = next.assignments().stream().filter(each -> each.split().isPresent()).count();
    for (RegionAssignment region : largestFirst(picture)) {
      if (planned < config.changesMax()
          && region.isStable()
          && verdict(picture.with(next), region, pieces, needed)
              instanceof SplitVerdict.Divided divided) {
        next = plan(next, divided.at(), needed);
        PlannedSplit split =
            next.assignment(region.id()).flatMap(RegionAssignment::split).orElseThrow();
        events.add(PlacementEvent.planned(region.id(), split, divided.reason()));
        planned++;
      }
    }
    return new Planned(next, events);
  }

  /**
   * The large regions that are not split, with the reasons: the largest first, {@link
   * #WHOLE_REGIONS_MAX} at most. Those that are being changed are not among them.
   *
   * @param needed as that of {@link #next}
   */
  static List<PlacementState.WholeRegion> whole(
      ClusterPicture picture, PlacementConfig config, RangeSupport needed) {
    List<PlacementState.WholeRegion> whole = new ArrayList<>();
    PieceSize pieces = PieceSize.of(picture, config);
    for (RegionAssignment region : largestFirst(picture)) {
      long bytes = picture.proposal(region.id()).bytes();
      if (whole.size() < WHOLE_REGIONS_MAX
          && config.splits().isLarge(bytes)
          && region.isStable()
          && verdict(picture, region, pieces, needed) instanceof SplitVerdict.Whole why) {
        whole.add(new PlacementState.WholeRegion(region.id(), bytes, why.reason()));
      }
    }
    return whole;
  }

  private static List<RegionAssignment> largestFirst(ClusterPicture picture) {
    return picture.topology().regions().regions().stream()
        .sorted(
            Comparator.comparing((RegionAssignment region) -> picture.proposal(region.id()).bytes())
                .reversed()
                .thenComparing(RegionAssignment::id))
        .toList();
  }

  private static SplitVerdict verdict(
      ClusterPicture picture, RegionAssignment region, PieceSize pieces, RangeSupport needed) {
    ClusterPicture.SplitProposal proposal = picture.proposal(region.id());
    PieceSize.Verdict bySize = pieces.verdict(proposal.bytes());
    // Where it is busy, its middle by size may divide no requests.
    Optional<Key> busy = proposal.byLoad().filter(key -> isWithin(key, region));
    if (busy.isEmpty() && !bySize.isToSplit()) {
      return new SplitVerdict.Whole(bySize.reason());
    }
    Optional<Key> at = busy.or(() -> proposal.bySize().filter(key -> isWithin(key, region)));
    if (at.isEmpty()) {
      return new SplitVerdict.Whole(
          "no key that divides it is known yet, or all of its keys have one prefix");
    }
    return obstacle(picture.topology(), region, needed, bySize.isForCopies())
        .<SplitVerdict>map(SplitVerdict.Whole::new)
        .orElseGet(
            () ->
                new SplitVerdict.Divided(
                    at.get(), busy.isPresent() ? "it is busy" : bySize.reason()));
  }

  /** Why a region that is to be split by itself is not; empty if nothing is in the way. */
  private static Optional<String> obstacle(
      StoredTopology topology, RegionAssignment region, RangeSupport needed, boolean isForCopies) {
    Optional<NodeId> incapable = incapableNode(topology, region, needed);
    if (incapable.isPresent()) {
      return Optional.of(
          "node " + incapable.get() + " has not registered with a version that can split it");
    }
    if (regionsPlanned(topology) >= REGIONS_MAX) {
      return Optional.of("there are " + REGIONS_MAX + " regions, as many as possible");
    }
    return isForCopies || !isFilled(topology, region)
        ? Optional.empty()
        : Optional.of(
            "nodes have " + REPLICAS_PER_NODE_MAX + " replicas each on average, which is enough");
  }

  /** A report may be from before the last split. */
  private static boolean isWithin(Key at, RegionAssignment region) {
    return region.range().contains(at) && !region.range().start().equals(at);
  }

  /** Whether nodes would have too many replicas on average with another region; plans count. */
  private static boolean isFilled(StoredTopology topology, RegionAssignment region) {
    int replicas =
        topology.regions().regions().stream()
            .mapToInt(each -> each.replicas().size() * (each.split().isPresent() ? 2 : 1))
            .sum();
    return replicas + region.replicas().size()
        > REPLICAS_PER_NODE_MAX * ReplicaPlacement.activeNodes(topology);
  }

  private static long regionsPlanned(StoredTopology topology) {
    List<RegionAssignment> regions = topology.regions().regions();
    return regions.size() + regions.stream().filter(each -> each.split().isPresent()).count();
  }

  /**
   * The topology in which the region that has a key is to be split there; the same one if a region
   * begins at the key, or is going to.
   *
   * @param needed as that of {@link #next}
   * @throws ConsensusException.Invalid if the key is empty, or there are as many regions as
   *     possible
   * @throws ConsensusException.Unavailable while another change of the region is planned, or a node
   *     of the region has not registered with a version that can split regions
   */
  static StoredTopology plan(StoredTopology topology, Key at, RangeSupport needed) {
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
    Optional<NodeId> incapable = incapableNode(topology, region, needed);
    if (incapable.isPresent()) {
      throw new ConsensusException.Unavailable(
          String.format(
              Locale.ROOT,
              "Node %s, which has a replica of region %s, has not registered with a version that can split regions; start it with this version, or replace it.",
              incapable.get(),
              region.id()));
    }
    if (regionsPlanned(topology) >= REGIONS_MAX) {
      throw new ConsensusException.Invalid("A cluster has at most " + REGIONS_MAX + " regions.");
    }
    return topology.with(region.planned(new PlannedSplit(at, topology.nextNumber())));
  }

  /**
   * A node of the region whose version may not know the command, and would diverge. It need not
   * respond: what it has registered stands.
   */
  private static Optional<NodeId> incapableNode(
      StoredTopology topology, RegionAssignment region, RangeSupport needed) {
    return region.replicas().stream()
        .filter(
            node ->
                topology
                    .node(node)
                    .map(NodeEntry::ranges)
                    .filter(has -> has.covers(needed))
                    .isEmpty())
        .findFirst();
  }
}
