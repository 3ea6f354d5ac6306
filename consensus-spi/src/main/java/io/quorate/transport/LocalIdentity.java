package io.quorate.transport;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Starts;
import java.util.UUID;

/**
 * The identity that a node presents to its peers.
 *
 * @param disk a random id, created when the engine's directory was first used: a node whose disk
 *     was emptied has another one, and is not mistaken for the node that voted (P1, S3)
 * @param starts of the node from this disk, by which an older copy of the disk is recognized
 */
public record LocalIdentity(UUID cluster, NodeId node, UUID disk, Starts starts) {
  /** Without a record of starts. */
  public LocalIdentity(UUID cluster, NodeId node, UUID disk) {
    this(cluster, node, disk, Starts.NONE);
  }

  LocalIdentity at(Starts present) {
    return new LocalIdentity(cluster, node, disk, present);
  }
}
