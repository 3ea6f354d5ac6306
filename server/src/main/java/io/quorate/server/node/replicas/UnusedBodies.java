package io.quorate.server.node.replicas;

import io.quorate.common.LogLimit;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.topology.StoredTopology;
import io.quorate.storage.Storage;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the bodies of large values of regions of which this node has nothing else. Used by the
 * thread that opens and removes replicas.
 *
 * <p>A region keeps them if it is recorded here, as it is before its replica is opened, and while
 * its files are damaged; and if it is assigned to this node or is to be, as one that is lost.
 */
final class UnusedBodies {
  private static final Logger LOG = LoggerFactory.getLogger(UnusedBodies.class);

  private final LogLimit failing = LogLimit.oneAMinute();
  private final Storage storage;
  private final ReplicaRecords records;
  private final NodeId self;

  UnusedBodies(Storage storage, ReplicaRecords records, NodeId self) {
    this.storage = storage;
    this.records = records;
    this.self = self;
  }

  /**
   * Removes those that are unused with a topology, durably; if that fails, a later call does. The
   * topology may be out of date: what it does not have yet of this node is recorded. Blocks.
   */
  void remove(StoredTopology stored) {
    try {
      storage.removeUnusedBodies(region -> isNeeded(region, stored));
    } catch (IOException e) {
      failing.log(
          leftOut ->
              LOG.atWarn()
                  .setCause(e)
                  .log("Unused bodies are not removed yet{}", LogLimit.text(leftOut)));
    }
  }

  private boolean isNeeded(GroupId region, StoredTopology stored) {
    return records.of(region).isPresent()
        || stored.assignment(region).filter(assigned -> assigned.concerns(self)).isPresent();
  }
}
