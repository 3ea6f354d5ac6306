package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.StatusRequest;
import io.quorate.client.wire.v1.TransferLeaderRequest;
import io.quorate.client.wire.v1.TransferLeaderResponse;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Transfers the leadership of a region to another node: finds the node that leads the region, and
 * sends the request to that node, once. Used by the event loop only.
 */
final class LeaderTransfer {
  private final ClientContext context;
  private final GroupId region;
  private final NodeId target;
  private final Duration timeout;

  private LeaderTransfer(ClientContext context, GroupId region, NodeId target, Duration timeout) {
    this.context = context;
    this.region = region;
    this.target = target;
    this.timeout = timeout;
  }

  static CompletableFuture<Void> of(
      ClientContext context, GroupId region, NodeId target, Duration timeout) {
    LeaderTransfer transfer = new LeaderTransfer(context, region, target, timeout);
    return ClusterStatusCollector.of(
            context,
            StatusRequest.getDefaultInstance(),
            context.options().attemptTimeout(),
            timeout,
            status -> status.nodes().stream().anyMatch(transfer::leads))
        .thenCompose(transfer::send);
  }

  private CompletableFuture<Void> send(ClusterStatus status) {
    try {
      return AdminCall.of(
              context.pool(leader(status)),
              Opcode.TRANSFER_LEADER,
              TransferLeaderRequest.newBuilder()
                  .setRegion(region.value())
                  .setTarget(target.value())
                  .build(),
              TransferLeaderResponse.parser(),
              context.loop(),
              timeout)
          .thenApply(done -> null);
    } catch (QuorateException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * The node that reports to lead the region; of several, the one with the highest consensus epoch.
   * During a partition a deposed leader may still report that it leads.
   */
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
        .max(Comparator.comparingLong(this::consensusEpoch))
        .map(NodeReport::address)
        .orElseThrow(() -> withoutLeader(up));
  }

  private boolean hasReplica(NodeReport node) {
    return node.replica(region).isPresent();
  }

  private boolean leads(NodeReport node) {
    return node.isUp()
        && node.replica(region).flatMap(replica -> replica.region().leader()).equals(node.id());
  }

  private long consensusEpoch(NodeReport node) {
    return node.replica(region).orElseThrow().consensusEpoch();
  }

  private QuorateException withoutLeader(List<NodeReport> up) {
    return up.get(0).state().orElseThrow().leaderless()
        ? new InvalidRequestException("Regions of this cluster have no leader.")
        : new UnavailableException(
            "No node that responded leads region " + region + " now; try again.");
  }
}
