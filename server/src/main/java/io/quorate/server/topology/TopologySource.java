package io.quorate.server.topology;

import java.util.Optional;

/** The source from which a node obtains the stored topology of its cluster. */
@FunctionalInterface
public interface TopologySource {
  /**
   * Makes one attempt. May block for some seconds; used by one thread.
   *
   * @return the topology; empty if it is not known yet
   * @throws InterruptedException if the node stops meanwhile
   */
  Optional<StoredTopology> look() throws InterruptedException;
}
