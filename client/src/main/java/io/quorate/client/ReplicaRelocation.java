package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.MoveReplicaRequest;
import io.quorate.client.wire.v1.MoveReplicaResponse;
import io.quorate.client.wire.v1.ReplicaMovement;
import io.quorate.common.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.Comparator;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Requests the move of a replica to another node, at the node that serves the region of the
 * cluster's metadata, and repeats the request while there is none or the move cannot be planned
 * yet: a move that is planned already is planned once. Used by the event loop only.
 */
final class ReplicaRelocation {
  private static final GroupId METADATA = new GroupId(0);
  private static final long PAUSE_MILLIS = 200;

  private final ClientContext context;
  private final MoveReplicaRequest request;
  private final long deadlineNanos;
  private final CompletableFuture<Void> planned = new CompletableFuture<>();

  private ReplicaRelocation(ClientContext context, MoveReplicaRequest request, Duration timeout) {
    this.context = context;
    this.request = request;
    this.deadlineNanos = System.nanoTime() + timeout.toNanos();
  }

  static CompletableFuture<Void> of(
      ClientContext context, GroupId region, NodeId from, NodeId to, Duration timeout) {
    MoveReplicaRequest request =
        MoveReplicaRequest.newBuilder()
            .setRegion(region.value())
            .setMove(ReplicaMovement.newBuilder().setFrom(from.value()).setTo(to.value()))
            .build();
    ReplicaRelocation relocation = new ReplicaRelocation(context, request, timeout);
    relocation.attempt();
    return relocation.planned;
  }

  private void attempt() {
    ClusterStatusCollector.of(context)
        .thenCompose(this::send)
        .whenComplete(
            (done, failure) -> {
              Throwable cause = Failures.unwrap(failure);
              if (failure == null) {
                planned.complete(null);
              } else if (cause instanceof UnavailableException && remainingMillis() > 0) {
                context.loop().schedule(this::attempt, PAUSE_MILLIS, TimeUnit.MILLISECONDS);
              } else {
                planned.completeExceptionally(cause);
              }
            });
  }

  private CompletableFuture<MoveReplicaResponse> send(ClusterStatus status) {
    Optional<NodeAddress> node = serving(status);
    return node.isPresent()
        ? AdminCall.of(
            context.pool(node.get()),
            Opcode.MOVE_REPLICA,
            request,
            MoveReplicaResponse.parser(),
            context.loop(),
            Duration.ofMillis(Math.max(1, remainingMillis())))
        : CompletableFuture.failedFuture(
            new UnavailableException(
                "No node that responded serves region 0, which has the assignments of replicas;"
                    + " try again."));
  }

  private long remainingMillis() {
    return TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
  }

  /** Of several nodes, the one with the highest consensus epoch: another may have been deposed. */
  private static Optional<NodeAddress> serving(ClusterStatus status) {
    return status.nodes().stream()
        .filter(node -> node.replica(METADATA).filter(ReplicaState::serving).isPresent())
        .max(
            Comparator.comparingLong(node -> node.replica(METADATA).orElseThrow().consensusEpoch()))
        .map(NodeReport::address);
  }
}
