package io.quorate.client.cluster;

import io.quorate.model.NodeId;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Changes the nodes of a cluster; for operators. No method blocks. A change is in force when its
 * future completes, and may be requested again, without further effect; the replicas follow, while
 * clients read and write, whatever happens to any node.
 *
 * <p>Each future completes with the changes of replicas that follow, in their order, as far as they
 * can be predicted; those that are under way come first. It fails with {@link
 * io.quorate.client.InvalidRequestException} if the change cannot be made, and with {@link
 * io.quorate.client.UnavailableException} if until the deadline of the client no node could make
 * it, or none responded: it may be in force then.
 */
public interface NodeAdministration {
  /** Returns the same methods, which change nothing and complete as if they had. */
  NodeAdministration dryRun();

  /**
   * Adds a node that runs, with an empty data directory and the cluster in its configuration.
   *
   * @param address the address of its client port
   */
  CompletableFuture<List<PlannedChange>> add(NodeAddress address);

  /** Moves all replicas away from a node, and keeps them away. */
  CompletableFuture<List<PlannedChange>> drain(NodeId node);

  /** Lets a node have replicas again. */
  CompletableFuture<List<PlannedChange>> undrain(NodeId node);

  /** Removes a node that has no replicas; it may be stopped before or afterwards. */
  CompletableFuture<List<PlannedChange>> remove(NodeId node);

  /**
   * Accepts the new disk of a node, which runs with an empty data directory and its former name.
   * What the former disk held is lost; it must not be used again.
   *
   * @param address the address of its client port
   */
  CompletableFuture<List<PlannedChange>> replace(NodeAddress address);

  /** Changes nothing. */
  CompletableFuture<List<PlannedChange>> preview();

  /** Changes nothing. Completes with what placement is going to do. */
  CompletableFuture<PlacementPreview> placement();
}
