package io.quorate.server.topology;

import io.quorate.client.wire.v1.Topology;
import java.util.Optional;

/**
 * The topology as this node's replica of region 0 has it.
 *
 * <p>The first leader of region 0, or every node in a cluster without leaders, writes the topology
 * that its configuration implies, by a compare-and-set that expects no row. However many nodes try,
 * one topology wins, and every node uses it.
 */
public final class MetadataTopologySource implements TopologySource {
  private final MetadataRegion region;
  private final Topology initial;

  /**
   * @param initial the topology to store if there is none
   */
  public MetadataTopologySource(MetadataRegion region, Topology initial) {
    this.region = region;
    this.initial = initial;
  }

  @Override
  public Optional<Topology> look() throws InterruptedException {
    Optional<Topology> stored = region.read();
    if (stored.isEmpty() && region.serves()) {
      region.begin(initial);
    }
    return stored;
  }
}
