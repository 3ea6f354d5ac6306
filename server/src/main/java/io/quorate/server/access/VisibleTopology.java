package io.quorate.server.access;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.Region;
import io.quorate.protocol.wire.v1.Topology;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The topology without the bounds of regions that are keys of others, and without the identities of
 * disks, which only nodes need. Requests for what somebody may read and write find their regions by
 * it.
 */
public final class VisibleTopology {
  private VisibleTopology() {}

  /** What somebody with these permissions receives of a topology. */
  public static Topology of(Topology topology, Permissions permissions) {
    if (permissions.isEverything()) {
      return topology;
    }
    Topology.Builder shown = topology.toBuilder();
    shown.getNodesBuilderList().forEach(Node.Builder::clearDisk);
    if (!permissions.seesCluster() && topology.getRegionsCount() > 0) {
      shown.clearRegions().addAllRegions(regions(topology, permissions));
    }
    return shown.build();
  }

  private static List<Region> regions(Topology topology, Permissions permissions) {
    KeyRanges visible = permissions.visible();
    List<Region.Builder> regions = new ArrayList<>();
    for (Region region : topology.getRegionsList()) {
      Optional<Key> lowest = visible.lowest(range(region));
      // A bound that is visible is the lowest visible key of its region.
      lowest.ifPresent(key -> regions.add(described(region).setStart(bytes(key))));
    }
    if (regions.isEmpty()) {
      regions.add(described(topology.getRegions(0)));
    }
    regions.get(0).setStart(ByteString.EMPTY);
    for (int i = 0; i + 1 < regions.size(); i++) {
      regions.get(i).setEnd(regions.get(i + 1).getStart());
    }
    return regions.stream().map(Region.Builder::build).toList();
  }

  /** What routing needs of a region, without its bounds. */
  private static Region.Builder described(Region region) {
    return region.toBuilder().clearStart().clearEnd().clearSplit().clearMerge();
  }

  private static KeyRange range(Region region) {
    return new KeyRange(
        Key.wrap(region.getStart().toByteArray()),
        region.hasEnd() ? Optional.of(Key.wrap(region.getEnd().toByteArray())) : Optional.empty());
  }

  private static ByteString bytes(Key key) {
    return UnsafeByteOperations.unsafeWrap(key.bytes());
  }
}
