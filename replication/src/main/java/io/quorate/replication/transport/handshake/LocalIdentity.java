package io.quorate.replication.transport.handshake;

import io.quorate.consensus.Starts;
import io.quorate.model.NodeId;
import java.util.Optional;
import java.util.UUID;

/**
 * The identity that a node presents to its peers.
 *
 * @param founding the id that the cluster received when it was founded; empty as long as the node
 *     does not know it
 * @param disk a random id, created when the engine's directory was first used: a node whose disk
 *     was emptied has another one, and is not mistaken for the node that voted (P1, S3)
 * @param starts of the node from this disk, by which an older copy of the disk is recognized
 */
public record LocalIdentity(
    UUID cluster, Optional<UUID> founding, NodeId node, UUID disk, Starts starts) {
  /** Without a founding. */
  public LocalIdentity(UUID cluster, NodeId node, UUID disk, Starts starts) {
    this(cluster, Optional.empty(), node, disk, starts);
  }

  /** Without a founding and a record of starts. */
  public LocalIdentity(UUID cluster, NodeId node, UUID disk) {
    this(cluster, node, disk, Starts.NONE);
  }

  public LocalIdentity at(Optional<UUID> known, Starts present) {
    return new LocalIdentity(cluster, known, node, disk, present);
  }

  /**
   * The refusal of a peer of another cluster that was founded under the same name; empty if it may
   * be of the same one.
   */
  public Optional<Handshake.Refused> refusalOf(LocalIdentity peer) {
    boolean isOther =
        founding.isPresent() && peer.founding.isPresent() && !founding.equals(peer.founding);
    return isOther
        ? Optional.of(
            new Handshake.Refused(
                RefusalReason.FOUNDING,
                "Node "
                    + peer.node
                    + " belongs to the cluster that was founded as "
                    + peer.founding.get()
                    + ", and node "
                    + node
                    + " to the one of the same name that was founded as "
                    + founding.get()
                    + "."))
        : Optional.empty();
  }
}
