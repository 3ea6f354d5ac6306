package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Topology;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Fetches the topology of a cluster in the message format of nodes. For nodes only; applications
 * have no use for it.
 */
public final class TopologyLookup {
  private TopologyLookup() {}

  /**
   * Queries the nodes in the client's topology and its seeds, one after the other, until one
   * responds with a topology. Does not block; does not fail because of a node.
   *
   * @return the topology; empty if no node has one yet
   */
  public static CompletableFuture<Optional<Topology>> of(AsyncQuorateClient client) {
    return client.onLoop(context -> next(context, context.candidates().iterator()));
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
