package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.ChangeNodesRequest;
import io.quorate.client.wire.v1.ChangeNodesResponse;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.common.Failures;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;

/**
 * Changes the nodes of a cluster; for operators. No method blocks. A change is in force when its
 * future completes, and may be requested again, without further effect; the replicas follow, while
 * clients read and write, whatever happens to any node.
 *
 * <p>Each future completes with the changes of replicas that follow, in their order, as far as they
 * can be predicted; those that are under way come first. It fails with {@link
 * InvalidRequestException} if the change cannot be made, and with {@link UnavailableException} if
 * until the deadline of the client no node could make it, or none responded: it may be in force
 * then.
 */
public final class NodeAdministration {
  /** Of the time for a change, so that it fails for what it did not get. */
  private static final Duration LEFT_MIN = Duration.ofMillis(1);

  private final AsyncQuorateClient client;
  private final Duration timeout;
  private final boolean dryRun;

  NodeAdministration(AsyncQuorateClient client, Duration timeout, boolean dryRun) {
    this.client = client;
    this.timeout = timeout;
    this.dryRun = dryRun;
  }

  /** Returns the same methods, which change nothing and complete as if they had. */
  public NodeAdministration dryRun() {
    return new NodeAdministration(client, timeout, true);
  }

  /**
   * Adds a node that runs, with an empty data directory and the cluster in its configuration.
   *
   * @param address the address of its client port
   */
  public CompletableFuture<List<PlannedChange>> add(NodeAddress address) {
    return described(
        address,
        (rest, status) ->
            status.getJoinState() == NodeStatus.JoinState.NEW
                ? rest.change(request -> request.setAdd(status.getNode()))
                : rest.present(status.getNode()));
  }

  /** Completes for a node that is in the cluster already. */
  private CompletableFuture<List<PlannedChange>> present(Node node) {
    return change(request -> request.setRegister(node))
        .exceptionallyCompose(
            failure ->
                CompletableFuture.failedFuture(
                    Failures.unwrap(failure) instanceof InvalidRequestException
                        ? new InvalidRequestException(
                            "Node "
                                + node.getId()
                                + " has taken part in a cluster already, and is not in this one;"
                                + " start it with an empty data directory.")
                        : Failures.unwrap(failure)));
  }

  /** Moves all replicas away from a node, and keeps them away. */
  public CompletableFuture<List<PlannedChange>> drain(NodeId node) {
    return change(request -> request.setDrain(node.value()));
  }

  /** Lets a node have replicas again. */
  public CompletableFuture<List<PlannedChange>> undrain(NodeId node) {
    return change(request -> request.setUndrain(node.value()));
  }

  /** Removes a node that has no replicas; it may be stopped before or afterwards. */
  public CompletableFuture<List<PlannedChange>> remove(NodeId node) {
    return change(request -> request.setRemove(node.value()));
  }

  /**
   * Accepts the new disk of a node, which runs with an empty data directory and its former name.
   * What the former disk held is lost; it must not be used again.
   *
   * @param address the address of its client port
   */
  public CompletableFuture<List<PlannedChange>> replace(NodeAddress address) {
    return described(
        address, (rest, status) -> rest.change(request -> request.setReplace(status.getNode())));
  }

  /** Changes nothing. */
  public CompletableFuture<List<PlannedChange>> preview() {
    return change(request -> request.setPreview(true));
  }

  /** Changes nothing. Completes with what placement is going to do. */
  public CompletableFuture<PlacementPreview> placement() {
    return request(request -> request.setPreview(true)).thenApply(PlacementPreview::of);
  }

  /** See {@link NodeToNode#register}. */
  CompletableFuture<List<PlannedChange>> register(Node node) {
    return change(request -> request.setRegister(node));
  }

  /**
   * A change after a node has described itself, with the same methods for the time that is left.
   */
  private interface Change
      extends BiFunction<NodeAdministration, NodeStatus, CompletableFuture<List<PlannedChange>>> {}

  /**
   * Requests a change of a node, which is asked first what it is. The cluster is known before that,
   * and the node refuses to answer if it belongs to another one: the first answer that a client
   * receives decides which cluster it uses.
   */
  private CompletableFuture<List<PlannedChange>> described(NodeAddress address, Change change) {
    long startNanos = System.nanoTime();
    return client
        .ready()
        .thenCompose(ready -> client.onLoop(loop -> left(startNanos).describe(loop, address)))
        .thenCompose(status -> change.apply(left(startNanos), status));
  }

  private CompletableFuture<NodeStatus> describe(ClientContext context, NodeAddress address) {
    return AdminCall.of(
        context.pool(address), Opcode.STATUS, NodeStatus.parser(), context.loop(), timeout);
  }

  private NodeAdministration left(long startNanos) {
    Duration left = timeout.minusNanos(System.nanoTime() - startNanos);
    return new NodeAdministration(client, left.compareTo(LEFT_MIN) < 0 ? LEFT_MIN : left, dryRun);
  }

  private CompletableFuture<List<PlannedChange>> change(
      Consumer<ChangeNodesRequest.Builder> change) {
    return request(change)
        .thenApply(response -> response.getChangesList().stream().map(PlannedChange::of).toList());
  }

  private CompletableFuture<ChangeNodesResponse> request(
      Consumer<ChangeNodesRequest.Builder> change) {
    ChangeNodesRequest.Builder request = ChangeNodesRequest.newBuilder().setDryRun(dryRun);
    change.accept(request);
    return client.onLoop(
        context ->
            MetadataCall.of(
                context,
                Opcode.CHANGE_NODES,
                request.build(),
                ChangeNodesResponse.parser(),
                timeout));
  }
}
