package io.quorate.client.internal.admin;

import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.quorate.client.Durations;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.client.internal.call.ClientContext;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.client.internal.connection.ConnectionPool;
import io.quorate.model.GroupId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.StatusRequest;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * A request about a region that one of its replicas handles: finds the node with that replica, and
 * sends the request to it, once. Used by the event loop only.
 */
final class ReplicaCall {
  private static final Comparator<ReplicaState> PREFERENCE =
      Comparator.comparing((ReplicaState replica) -> !replica.hibernating())
          .thenComparingLong(ReplicaState::consensusEpoch);

  private final ClientContext context;
  private final GroupId region;
  private final Duration timeout;
  private final Predicate<NodeReport> handles;

  /** The failure if none of the nodes that responded handles it. */
  private final Function<List<NodeReport>, QuorateException> unhandled;

  private ReplicaCall(
      ClientContext context,
      GroupId region,
      Duration timeout,
      Predicate<NodeReport> handles,
      Function<List<NodeReport>, QuorateException> unhandled) {
    this.context = context;
    this.region = region;
    this.timeout = timeout;
    this.handles = handles;
    this.unhandled = unhandled;
  }

  /** A call of the leader of a region; fails in a cluster without leaders. */
  static ReplicaCall toLeader(ClientContext context, GroupId region, Duration timeout) {
    return new ReplicaCall(
        context,
        region,
        timeout,
        node ->
            node.replica(region).flatMap(replica -> replica.region().leader()).equals(node.id()),
        up ->
            up.get(0).state().orElseThrow().leaderless()
                ? new InvalidRequestException("Regions of this cluster have no leader.")
                : new UnavailableException(
                    "No node that responded leads region " + region + " now; try again."));
  }

  /**
   * A call of the leader of a region or, in a cluster without leaders, of any ready replica; where
   * the region hibernates, of any replica, which wakes and fails with {@link UnavailableException}.
   */
  static ReplicaCall toServing(ClientContext context, GroupId region, Duration timeout) {
    return new ReplicaCall(
        context,
        region,
        timeout,
        node ->
            node.replica(region)
                .filter(replica -> replica.serving() || replica.hibernating())
                .isPresent(),
        up ->
            new UnavailableException(
                "No node that responded serves region " + region + " now; try again."));
  }

  <R extends MessageLite> CompletableFuture<R> send(
      Opcode opcode, MessageLite request, Parser<R> response) {
    long deadlineNanos = System.nanoTime() + timeout.toNanos();
    return ClusterStatusCollector.of(
            context,
            StatusRequest.getDefaultInstance(),
            context.options().attemptTimeout(),
            timeout,
            status -> status.nodes().stream().filter(NodeReport::isUp).anyMatch(handles))
        .thenCompose(
            status -> {
              try {
                ConnectionPool pool = context.pool(address(status));
                Duration left = Duration.ofNanos(deadlineNanos - System.nanoTime());
                if (left.isNegative() || left.isZero()) {
                  throw new UnavailableException(
                      "Nodes did not respond within "
                          + Durations.text(timeout)
                          + "; nothing has changed.");
                }
                return AdminCall.of(pool, opcode, request, response, context.loop(), left);
              } catch (QuorateException e) {
                return CompletableFuture.failedFuture(e);
              }
            });
  }

  /**
   * Of several nodes that report to handle it, one that does not hibernate and has the highest
   * consensus epoch. During a partition a deposed leader may still report that it leads.
   */
  private NodeAddress address(ClusterStatus status) {
    List<NodeReport> up = status.nodes().stream().filter(NodeReport::isUp).toList();
    if (up.isEmpty()) {
      throw new UnavailableException("No node responded; nothing has changed.");
    }
    if (up.stream().noneMatch(node -> node.replica(region).isPresent())) {
      throw new InvalidRequestException("No node that responded has region " + region + ".");
    }
    return up.stream()
        .filter(handles)
        .max(Comparator.comparing(this::replica, PREFERENCE))
        .map(NodeReport::address)
        .orElseThrow(() -> unhandled.apply(up));
  }

  private ReplicaState replica(NodeReport node) {
    return node.replica(region).orElseThrow();
  }
}
