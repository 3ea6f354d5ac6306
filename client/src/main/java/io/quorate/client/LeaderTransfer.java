package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.TransferLeaderRequest;
import io.quorate.client.wire.v1.TransferLeaderResponse;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Hands leadership of a region to another node: finds the node that reports to lead it, and sends
 * that one the request, once. Lives on the event loop.
 */
final class LeaderTransfer {
  private final ClientCore core;
  private final GroupId region;
  private final NodeId target;
  private final Duration timeout;

  private LeaderTransfer(ClientCore core, GroupId region, NodeId target, Duration timeout) {
    this.core = core;
    this.region = region;
    this.target = target;
    this.timeout = timeout;
  }

  static CompletableFuture<Void> of(
      ClientCore core, GroupId region, NodeId target, Duration timeout) {
    LeaderTransfer transfer = new LeaderTransfer(core, region, target, timeout);
    return StatusSurvey.of(core).thenCompose(transfer::send);
  }

  private CompletableFuture<Void> send(ClusterStatus status) {
    try {
      return Ask.of(
              core.link(leader(status)),
              Opcode.TRANSFER_LEADER,
              TransferLeaderRequest.newBuilder()
                  .setRegion(region.value())
                  .setTarget(target.value())
                  .build(),
              TransferLeaderResponse.parser(),
              core.loop(),
              timeout)
          .thenApply(done -> null);
    } catch (QuorateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private NodeAddress leader(ClusterStatus status) {
    List<NodeReport> up = status.nodes().stream().filter(NodeReport::isUp).toList();
    if (up.isEmpty()) {
      throw new UnavailableException("No node responded; leadership stays.");
    }
    if (up.stream().noneMatch(this::hasReplica)) {
      throw new InvalidRequestException("No node that responded has region " + region + ".");
    }
    return up.stream()
        .filter(this::leads)
        .findFirst()
        .map(NodeReport::address)
        .orElseThrow(() -> withoutLeader(up));
  }

  private boolean hasReplica(NodeReport node) {
    return replica(node).isPresent();
  }

  private boolean leads(NodeReport node) {
    return replica(node).flatMap(replica -> replica.region().leader()).equals(node.id());
  }

  private Optional<ReplicaState> replica(NodeReport node) {
    return node.state().stream()
        .flatMap(state -> state.replicas().stream())
        .filter(replica -> replica.region().id().equals(region))
        .findFirst();
  }

  private QuorateException withoutLeader(List<NodeReport> up) {
    return up.get(0).state().orElseThrow().leaderless()
        ? new InvalidRequestException("Regions of this cluster have no leader.")
        : new UnavailableException(
            "No node that responded leads region " + region + " now; try again.");
  }
}
