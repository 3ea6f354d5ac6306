package io.quorate.server.placement;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.cli.format.ByteSizes;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.List;
import java.util.OptionalDouble;

/**
 * How large a region may be. A region is split by its size where placement can use the pieces: for
 * each group costs threads, messages and syncs, which a split does not pay back by itself. Pure.
 *
 * <p>Where there are more nodes than replicas, no region is to be larger than a quarter of what the
 * node with the smallest share is to hold. So nodes have four to eight replicas each when regions
 * have been split in halves, whatever the size of the data, and one move changes the load of a node
 * by a quarter at most. Where each node has a replica of every region, no replica can move, and
 * only the time of a copy bounds a region.
 */
final class PieceSize {
  /** No region is larger than the share of a node divided by this. */
  private static final int PIECES_PER_NODE = 4;

  /**
   * From so many times {@code placement.split-size} on, a region is split in any case, as it is
   * copied, compared and backed up as a whole: 32 GiB are 9 minutes at the default rate of
   * snapshots.
   */
  static final int COPY_FACTOR = 32;

  private final PlacementConfig config;
  private final int nodes;
  private final int replicas;

  /** Empty while it is not known. */
  private final OptionalDouble pieceMax;

  private PieceSize(PlacementConfig config, int nodes, int replicas, OptionalDouble pieceMax) {
    this.config = config;
    this.nodes = nodes;
    this.replicas = replicas;
    this.pieceMax = pieceMax;
  }

  static PieceSize of(ClusterPicture picture, PlacementConfig config) {
    StoredTopology topology = picture.topology();
    int nodes = ReplicaPlacement.activeNodes(topology);
    int replicas = ClusterStatus.replicasWanted(topology.replicas(), nodes);
    List<GroupId> regions =
        topology.regions().regions().stream().map(RegionAssignment::id).toList();
    if (!picture.rowBytes().keySet().containsAll(regions)) {
      return new PieceSize(config, nodes, replicas, OptionalDouble.empty());
    }
    double bytes = regions.stream().mapToDouble(id -> picture.proposal(id).bytes()).sum();
    double smallestShare = bytes * replicas * smallestWeight(picture, config.policy());
    return new PieceSize(
        config, nodes, replicas, OptionalDouble.of(smallestShare / PIECES_PER_NODE));
  }

  /** The smallest weight of a node for the number of replicas, or of bytes; all together are 1. */
  private static double smallestWeight(ClusterPicture picture, Policy policy) {
    List<NodeId> active =
        picture.topology().nodes().stream()
            .filter(node -> !node.isDraining())
            .map(NodeEntry::id)
            .toList();
    if (policy != Policy.ALOR) {
      return 1.0 / Math.max(1, active.size());
    }
    DeviceSpeeds speeds = DeviceSpeeds.of(picture);
    double all = active.stream().mapToDouble(speeds::relative).sum();
    return active.stream().mapToDouble(speeds::relative).min().orElse(0) / all;
  }

  /** Why a region of so many bytes is to be split, or is not. */
  Verdict verdict(long bytes) {
    if (!config.splits().isLarge(bytes)) {
      return Verdict.whole("it is smaller than placement.split-size");
    }
    if (bytes / COPY_FACTOR >= config.splits().sizeMax()) {
      return new Verdict(true, "it is too large for one copy, " + ByteSizes.text(bytes), true);
    }
    if (config.policy() == Policy.NONE) {
      return Verdict.whole("the policy none moves no pieces");
    }
    if (nodes <= replicas) {
      return Verdict.whole(
          (nodes == 1 ? "the only node has" : "all " + nodes + " nodes have")
              + " every region; a split moves nothing");
    }
    if (pieceMax.isEmpty()) {
      return Verdict.whole("the sizes of some regions are not known");
    }
    String piece = ByteSizes.text((long) pieceMax.getAsDouble());
    return bytes > pieceMax.getAsDouble()
        ? new Verdict(
            true, "pieces of up to " + piece + " fill " + nodes + " nodes more evenly", false)
        : Verdict.whole("pieces of up to " + piece + " fill " + nodes + " nodes evenly enough");
  }

  /**
   * Whether a region is to be split.
   *
   * @param reason why, or why not; no sentence
   * @param isForCopies whether it is split however many regions there are
   */
  record Verdict(boolean isToSplit, String reason, boolean isForCopies) {
    private static Verdict whole(String reason) {
      return new Verdict(false, reason, false);
    }
  }
}
