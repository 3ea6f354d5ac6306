package io.quorate.server.topology;

import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The topology as this node's replica of region 0 has it; from other nodes, if this node has no
 * such replica, or one that may have been left behind, because it was removed from its group.
 *
 * <p>The first leader of region 0, or every node in a cluster without leaders, writes the topology
 * that its configuration implies, by a compare-and-set that expects no row. However many nodes try,
 * one topology wins, and every node uses it.
 */
public final class StoredTopologySource implements TopologySource {
  private final ClusterTopology topology;
  private final Supplier<StoredTopology> initial;
  private final PeerTopologySource peers;
  private final boolean hasPeers;

  /**
   * @param initial the topology to store if there is none; may block
   * @param hasPeers whether the configuration has other nodes; there may be others later
   */
  public StoredTopologySource(
      ClusterTopology topology,
      Supplier<StoredTopology> initial,
      PeerTopologySource peers,
      boolean hasPeers) {
    this.topology = topology;
    this.initial = initial;
    this.peers = peers;
    this.hasPeers = hasPeers;
  }

  @Override
  public Optional<StoredTopology> look() throws InterruptedException {
    Optional<MetadataRegion> local =
        topology.hosted(RegionAssignment.METADATA).map(MetadataRegion::new);
    Optional<StoredTopology> stored = local.flatMap(MetadataRegion::read);
    if (stored.isEmpty() && local.filter(MetadataRegion::serves).isPresent()) {
      local.get().begin(initial.get());
      return Optional.empty();
    }
    if (stored.isPresent() && local.get().isUpToDate()) {
      return stored;
    }
    if (!hasPeers && topology.stored().isEmpty()) {
      return stored;
    }
    return Stream.concat(stored.stream(), peers.look().stream())
        .max(Comparator.comparing(StoredTopology::version));
  }
}
