package io.quorate.client;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.StatusRequest;
import io.quorate.consensus.GroupId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Sends a request about a region to the node that leads it, or, in a cluster without leaders, to
 * one whose replica is ready; once. Used by the event loop only.
 */
final class ServingReplicaCall {
  private ServingReplicaCall() {}

  static <R extends MessageLite> CompletableFuture<R> of(
      ClientContext context,
      GroupId region,
      Opcode opcode,
      MessageLite request,
      Parser<R> response,
      Duration timeout) {
    return ClusterStatusCollector.of(
            context,
            StatusRequest.getDefaultInstance(),
            context.options().attemptTimeout(),
            timeout,
            status -> status.replicas(region).stream().anyMatch(ReplicaState::serving))
        .thenCompose(
            status -> {
              try {
                ConnectionPool pool = context.pool(serving(status, region));
                return AdminCall.of(pool, opcode, request, response, context.loop(), timeout);
              } catch (QuorateException e) {
                return CompletableFuture.failedFuture(e);
              }
            });
  }

  /**
   * The node that reports to serve the region; of several, the one with the highest consensus
   * epoch. During a partition a deposed leader may still report that it leads.
   */
  private static NodeAddress serving(ClusterStatus status, GroupId region) {
    List<NodeReport> up = status.nodes().stream().filter(NodeReport::isUp).toList();
    if (up.isEmpty()) {
      throw new UnavailableException("No node responded.");
    }
    if (up.stream().noneMatch(node -> node.replica(region).isPresent())) {
      throw new InvalidRequestException("No node that responded has region " + region + ".");
    }
    return up.stream()
        .filter(node -> node.replica(region).filter(ReplicaState::serving).isPresent())
        .max(Comparator.comparingLong(node -> node.replica(region).orElseThrow().consensusEpoch()))
        .map(NodeReport::address)
        .orElseThrow(
            () ->
                new UnavailableException(
                    "No node that responded serves region " + region + " now; try again."));
  }
}
