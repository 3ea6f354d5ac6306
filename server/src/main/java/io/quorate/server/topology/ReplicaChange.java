package io.quorate.server.topology;

import io.quorate.model.NodeId;
import java.util.List;
import java.util.Optional;

/**
 * A change of the nodes with a replica of a region: one is added, one is removed, or one moves.
 *
 * @param from the node whose replica is removed
 * @param to the node that receives one
 */
public record ReplicaChange(Optional<NodeId> from, Optional<NodeId> to) {
  public ReplicaChange {
    if (from.isEmpty() && to.isEmpty() || from.equals(to)) {
      throw new IllegalArgumentException("A change of replicas names two nodes, or one");
    }
  }

  public static ReplicaChange move(NodeId from, NodeId to) {
    return new ReplicaChange(Optional.of(from), Optional.of(to));
  }

  public static ReplicaChange add(NodeId to) {
    return new ReplicaChange(Optional.empty(), Optional.of(to));
  }

  public static ReplicaChange remove(NodeId from) {
    return new ReplicaChange(Optional.of(from), Optional.empty());
  }

  /** Whether the node is to receive a replica. */
  public boolean isTo(NodeId node) {
    return to.equals(Optional.of(node));
  }

  /** Whether the node is to lose its replica. */
  public boolean isFrom(NodeId node) {
    return from.equals(Optional.of(node));
  }

  /**
   * Whether the change takes another one back: it removes a replica that is not assigned, which was
   * to be added, or adds one that is, which was to be removed.
   *
   * @param replicas the nodes to which replicas are assigned
   */
  public boolean isWithdrawal(List<NodeId> replicas) {
    return from.isEmpty()
        ? replicas.contains(to.orElseThrow())
        : to.isEmpty() && !replicas.contains(from.get());
  }

  /** For messages: what changes, as a noun. */
  @Override
  public String toString() {
    if (from.isEmpty()) {
      return "addition to " + to.get();
    }
    return to.map(target -> "move from " + from.get() + " to " + target)
        .orElseGet(() -> "removal from " + from.get());
  }
}
