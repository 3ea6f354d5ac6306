package io.quorate.client.internal.admin;

import io.quorate.client.CallOperation;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.PlacementPreview;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.client.internal.call.Caller;
import io.quorate.client.internal.call.ClientContext;
import io.quorate.client.internal.call.ReadyCall;
import io.quorate.client.internal.connection.AdminCall;
import io.quorate.common.Failures;
import io.quorate.common.Nulls;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.ChangeNodesRequest;
import io.quorate.protocol.wire.v1.ChangeNodesResponse;
import io.quorate.protocol.wire.v1.Node;
import io.quorate.protocol.wire.v1.NodeStatus;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Requests changes of nodes of the node that serves region 0. Any thread; nothing blocks. */
public final class NodeChangeRequests implements NodeAdministration {
  /** Of the time for a change, so that it fails for what it did not get. */
  private static final Duration LEFT_MIN = Duration.ofMillis(1);

  private final Caller caller;
  private final ClientContext client;
  private final Duration timeout;
  private final boolean dryRun;

  public NodeChangeRequests(Caller caller, boolean dryRun) {
    this.caller = caller;
    this.client = caller.context();
    this.timeout = caller.deadline();
    this.dryRun = dryRun;
  }

  @Override
  public NodeAdministration dryRun() {
    return new NodeChangeRequests(caller, true);
  }

  @Override
  public CompletableFuture<List<PlannedChange>> add(NodeAddress address) {
    Nulls.refuse(address, "address");
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

  @Override
  public CompletableFuture<List<PlannedChange>> drain(NodeId node) {
    Nulls.refuse(node, "node");
    return call(() -> change(request -> request.setDrain(node.value())));
  }

  @Override
  public CompletableFuture<List<PlannedChange>> undrain(NodeId node) {
    Nulls.refuse(node, "node");
    return call(() -> change(request -> request.setUndrain(node.value())));
  }

  @Override
  public CompletableFuture<List<PlannedChange>> remove(NodeId node) {
    Nulls.refuse(node, "node");
    return call(() -> change(request -> request.setRemove(node.value())));
  }

  @Override
  public CompletableFuture<List<PlannedChange>> replace(NodeAddress address) {
    Nulls.refuse(address, "address");
    return described(
        address, (rest, status) -> rest.change(request -> request.setReplace(status.getNode())));
  }

  @Override
  public CompletableFuture<List<PlannedChange>> preview() {
    return call(() -> change(request -> request.setPreview(true)));
  }

  @Override
  public CompletableFuture<PlacementPreview> placement() {
    return call(
        () -> request(request -> request.setPreview(true)).thenApply(PlacementReader::preview));
  }

  /** See {@link NodeToNode#register}. */
  public CompletableFuture<List<PlannedChange>> register(Node node) {
    return change(request -> request.setRegister(node));
  }

  /**
   * A change after a node has described itself, with the same methods for the time that is left.
   */
  private interface Change
      extends BiFunction<NodeChangeRequests, NodeStatus, CompletableFuture<List<PlannedChange>>> {}

  /**
   * Requests a change of a node, which is asked first what it is. The cluster is known before that,
   * and the node refuses to answer if it belongs to another one: the first answer that a client
   * receives decides which cluster it uses.
   */
  private CompletableFuture<List<PlannedChange>> described(NodeAddress address, Change change) {
    long startNanos = System.nanoTime();
    return call(
        () ->
            client
                .onLoop(context -> ReadyCall.of(context, timeout))
                .thenCompose(
                    ready -> client.onLoop(loop -> left(startNanos).describe(loop, address)))
                .thenCompose(status -> change.apply(left(startNanos), status)));
  }

  /** As a call of the application. */
  private <T> CompletableFuture<T> call(Supplier<CompletableFuture<T>> requests) {
    return caller.calls().call(CallOperation.NODES, call -> requests.get());
  }

  private CompletableFuture<NodeStatus> describe(ClientContext context, NodeAddress address) {
    return AdminCall.of(
        context.pool(address), Opcode.STATUS, NodeStatus.parser(), context.loop(), timeout);
  }

  private NodeChangeRequests left(long startNanos) {
    Duration left = timeout.minusNanos(System.nanoTime() - startNanos);
    return new NodeChangeRequests(
        caller.withDeadline(left.compareTo(LEFT_MIN) < 0 ? LEFT_MIN : left), dryRun);
  }

  private CompletableFuture<List<PlannedChange>> change(
      Consumer<ChangeNodesRequest.Builder> change) {
    return request(change)
        .thenApply(
            response -> response.getChangesList().stream().map(PlacementReader::change).toList());
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
