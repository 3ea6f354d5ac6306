package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.util.Optional;
import java.util.OptionalLong;
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
 * @param presence whether a node belongs to the cluster, as far as this node knows: only the disks
 *     of those that do are recorded. Any thread; does not block.
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
    Function<NodeId, Presence> presence,
    Supplier<Optional<UUID>> founding,
    Supplier<Starts> starts,
    Consumer<String> outdated) {

  /**
   * Whether a node belongs to the cluster.
   *
   * @param isKnown whether the topology or the configuration of this node has it
   * @param topology the version of the topology that is known here; empty if none is
   */
  public record Presence(boolean isKnown, OptionalLong topology) {
    /** Of a node that is known without a topology. */
    public static final Presence CONFIGURED = new Presence(true, OptionalLong.empty());

    /**
     * Whether a node has left the cluster.
     *
     * @param seen the version of a topology that had it; empty if none had
     */
    public boolean isGone(OptionalLong seen) {
      return !isKnown
          && topology.isPresent()
          && (seen.isEmpty() || seen.getAsLong() < topology.getAsLong());
    }
  }

  /**
   * The disk that is registered for a node.
   *
   * @param topology the version of the topology that has it; of two, the greater one is later
   */
  public record Registered(UUID disk, long topology) {}

  /** Of a cluster that any node belongs to, without a founding and a record of starts. */
  public NodeDisks(UUID own, Function<NodeId, Optional<Registered>> registered) {
    this(
        own,
        registered,
        node -> Presence.CONFIGURED,
        Optional::empty,
        () -> Starts.NONE,
        sentence -> {});
  }

  /** A new identity, where no disk ever takes the place of another one. */
  public static NodeDisks unregistered() {
    return new NodeDisks(UUID.randomUUID(), node -> Optional.empty());
  }
}
