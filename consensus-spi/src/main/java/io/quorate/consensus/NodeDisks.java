package io.quorate.consensus;

import java.util.UUID;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * The identities of the data directories of nodes, by which an engine recognizes a node whose
 * directory was emptied.
 *
 * @param own the identity that a new directory of the engine receives
 * @param registered whether the cluster has registered this disk for a node, so that it takes the
 *     place of the one that is recorded for the node. True only for a node that is not counted in
 *     any group with its former disk, or is being removed from it. Any thread; does not block.
 * @param starts of this node, the present one included, by which others recognize an older copy of
 *     the directory
 * @param outdated called, on any thread, when another node has shown that this one has an older
 *     copy of its disk, with a sentence about it; the process is expected to stop. Must not block.
 */
public record NodeDisks(
    UUID own, BiPredicate<NodeId, UUID> registered, Starts starts, Consumer<String> outdated) {
  /** Without a record of starts. */
  public NodeDisks(UUID own, BiPredicate<NodeId, UUID> registered) {
    this(own, registered, Starts.NONE, sentence -> {});
  }

  /** A new identity, where no disk ever takes the place of another one. */
  public static NodeDisks unregistered() {
    return new NodeDisks(UUID.randomUUID(), (node, disk) -> false);
  }
}
