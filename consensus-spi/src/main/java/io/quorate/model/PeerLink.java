package io.quorate.model;

import java.util.Objects;
import java.util.UUID;

/**
 * One direction between two nodes of a cluster, by which tests select what the network loses.
 *
 * @param cluster the id of their cluster for engines
 */
public record PeerLink(UUID cluster, NodeId from, NodeId to) {
  public PeerLink {
    Objects.requireNonNull(cluster, "cluster must not be null");
    Objects.requireNonNull(from, "from must not be null");
    Objects.requireNonNull(to, "to must not be null");
  }
}
