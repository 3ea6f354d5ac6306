package io.quorate.model;

import io.quorate.common.Nulls;
import java.util.UUID;

/**
 * One direction between two nodes of a cluster, by which tests select what the network loses.
 *
 * @param cluster the id of their cluster for engines
 */
public record PeerLink(UUID cluster, NodeId from, NodeId to) {
  public PeerLink {
    Nulls.refuse(cluster, "cluster");
    Nulls.refuse(from, "from");
    Nulls.refuse(to, "to");
  }
}
