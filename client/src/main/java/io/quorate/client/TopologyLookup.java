package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Topology;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Fetches the map of a cluster as nodes exchange it. For nodes, which pass it on; applications have
 * no use for it.
 */
public final class TopologyLookup {
  private TopologyLookup() {}

  /**
   * Sends requests to the nodes that the client knows, one after the other, until one responds with
   * a map. Does not block; does not fail because of a node.
   *
   * @return empty where none of them has a map yet
   */
  public static CompletableFuture<Optional<Topology>> of(AsyncQuorateClient client) {
    return client.onLoop(core -> next(core, core.candidates().iterator()));
  }

  private static CompletableFuture<Optional<Topology>> next(
      ClientCore core, Iterator<NodeLink> candidates) {
    if (!candidates.hasNext()) {
      return CompletableFuture.completedFuture(Optional.empty());
    }
    return Ask.of(
            candidates.next(),
            Opcode.TOPOLOGY,
            Topology.parser(),
            core.loop(),
            core.options().attemptTimeout())
        .handle(
            (topology, failure) ->
                failure == null && topology.getRegionsCount() > 0
                    ? CompletableFuture.completedFuture(Optional.of(topology))
                    : next(core, candidates))
        .thenCompose(Function.identity());
  }
}
