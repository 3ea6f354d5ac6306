package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.StatusRequest;
import io.quorate.client.wire.v1.Topology;
import java.util.Collection;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * What nodes request from each other by this client, in the message format of nodes. Applications
 * have no use for it. No method blocks.
 */
public final class NodeToNode {
  private NodeToNode() {}

  /**
   * Queries nodes one after the other, first those to which there is a connection, until one
   * responds with a topology. Does not block; does not fail because of a node.
   *
   * @return the topology; empty if no node has responded with one
   */
  public static CompletableFuture<Optional<Topology>> topology(
      AsyncQuorateClient client, Collection<NodeAddress> nodes) {
    return client.onLoop(context -> next(context, context.candidates(nodes).iterator()));
  }

  /**
   * Registers what a node reports of itself: its disk, if it has registered none, its addresses and
   * its labels. Fails as the methods of {@link NodeAdministration}.
   */
  public static CompletableFuture<Void> register(AsyncQuorateClient client, Node node) {
    return client.nodes().register(node).thenApply(changes -> null);
  }

  /**
   * Returns what {@link AsyncQuorateClient#status} does, without replicas, topologies and decisions
   * of placement, which are most of it in a large cluster.
   */
  public static CompletableFuture<ClusterStatus> summary(AsyncQuorateClient client) {
    StatusRequest request = StatusRequest.newBuilder().setSummary(true).build();
    return client.onLoop(context -> ClusterStatusCollector.of(context, request));
  }

  /** As {@link AsyncQuorateClient#status}, with the traffic of the nodes. */
  public static CompletableFuture<ClusterStatus> statusWithTraffic(AsyncQuorateClient client) {
    StatusRequest request = StatusRequest.newBuilder().setTraffic(true).build();
    return client.onLoop(context -> ClusterStatusCollector.of(context, request));
  }

  private static CompletableFuture<Optional<Topology>> next(
      ClientContext context, Iterator<ConnectionPool> candidates) {
    if (!candidates.hasNext()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return AdminCall.of(
            candidates.next(),
            Opcode.TOPOLOGY,
            Topology.parser(),
            context.loop(),
            context.options().attemptTimeout())
        .handle(
            (topology, failure) ->
                failure == null && topology.getRegionsCount() > 0
                    ? CompletableFuture.completedFuture(Optional.of(topology))
                    : next(context, candidates))
        .thenCompose(Function.identity());
  }
}
