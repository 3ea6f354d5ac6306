package io.quorate.server.cluster;

import io.quorate.client.wire.v1.Topology;
import java.util.Optional;

/** Where a node that starts finds the map of its cluster. */
@FunctionalInterface
public interface MapSource {
  /**
   * Looks once. May block for some seconds; used by one thread.
   *
   * @return the map; empty if it is not known yet
   * @throws InterruptedException if the node stops meanwhile
   */
  Optional<Topology> look() throws InterruptedException;
}
