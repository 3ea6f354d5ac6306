package io.quorate.consensus;

import java.util.UUID;
import java.util.function.BiPredicate;

/**
 * The identities of the data directories of nodes, by which an engine recognizes a node whose
 * directory was emptied.
 *
 * @param own the identity that a new directory of the engine receives
 * @param registered whether the cluster has registered this disk for a node, so that it takes the
 *     place of the one that is recorded for the node. True only for a node that is not counted in
 *     any group with its former disk, or is being removed from it. Any thread; does not block.
 */
public record NodeDisks(UUID own, BiPredicate<NodeId, UUID> registered) {
  /** A new identity, where no disk ever takes the place of another one. */
  public static NodeDisks unregistered() {
    return new NodeDisks(UUID.randomUUID(), (node, disk) -> false);
  }
}
