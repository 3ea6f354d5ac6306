package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The identities of the data directories of nodes, by which an engine recognizes a node whose
 * directory was emptied.
 *
 * @param own the identity that a new directory of the engine receives
 * @param registered the disk that the cluster has registered for a node, as far as this node knows;
 *     it takes the place of the one that is recorded for the node. The node is not counted in any
 *     group with its former disk then, or is being removed from it. Any thread; does not block.
 * @param founding the id that the cluster received when it was founded, by which nodes of a former
 *     cluster with the same name are recognized; empty as long as this node does not know it. Any
 *     thread; does not block.
 * @param starts of this node, the present one included, by which others recognize an older copy of
 *     the directory; durable when they are returned, and renewed while the node runs. Any thread;
 *     does not block.
 * @param outdated called, on any thread, when another node has shown that this one has an older
 *     copy of its disk, with a sentence about it; the process is expected to stop. Must not block.
 */
public record NodeDisks(
    UUID own,
    Function<NodeId, Optional<Registered>> registered,
    Supplier<Optional<UUID>> founding,
    Supplier<Starts> starts,
    Consumer<String> outdated) {

  /**
   * The disk that is registered for a node.
   *
   * @param topology the version of the topology that has it; of two, the greater one is later
   */
  public record Registered(UUID disk, long topology) {}

  /** Without a founding and a record of starts. */
  public NodeDisks(UUID own, Function<NodeId, Optional<Registered>> registered) {
    this(own, registered, Optional::empty, () -> Starts.NONE, sentence -> {});
  }

  /** A new identity, where no disk ever takes the place of another one. */
  public static NodeDisks unregistered() {
    return new NodeDisks(UUID.randomUUID(), node -> Optional.empty());
  }
}
