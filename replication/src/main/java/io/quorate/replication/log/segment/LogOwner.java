package io.quorate.replication.log.segment;

import io.quorate.model.NodeId;
import java.util.UUID;

/** The node whose log it is; every segment names it. */
public record LogOwner(UUID cluster, NodeId node) {
  @Override
  public String toString() {
    return "node " + node + " of cluster " + cluster;
  }
}
