package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.client.wire.v1.StatusRequest;
import io.quorate.common.DecodeException;
import io.quorate.consensus.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Requests the state of every known node, and of every node that a response makes known. Used by
 * the event loop only.
 */
final class ClusterStatusCollector {
  private final ClientContext context;
  private final StatusRequest request;
  private final CompletableFuture<ClusterStatus> result = new CompletableFuture<>();
  private final Map<NodeAddress, NodeReport> reports = new HashMap<>();
  private final Map<NodeAddress, NodeId> names = new HashMap<>();
  private int outstanding;

  private ClusterStatusCollector(ClientContext context, StatusRequest request) {
    this.context = context;
    this.request = request;
  }

  /** Requests everything of every node. */
  static CompletableFuture<ClusterStatus> of(ClientContext context) {
    return of(context, StatusRequest.getDefaultInstance());
  }

  /** Requests what the request names of every node. */
  static CompletableFuture<ClusterStatus> of(ClientContext context, StatusRequest request) {
    ClusterStatusCollector collector = new ClusterStatusCollector(context, request);
    List<NodeAddress> first = new ArrayList<>(context.options().seeds());
    context
        .router()
        .topology()
        .ifPresent(
            topology ->
                topology
                    .nodes()
                    .forEach(
                        (id, address) -> {
                          collector.names.put(address, id);
                          first.add(address);
                        }));
    // Counted before the first request, so that the collector does not end between two requests.
    collector.outstanding++;
    first.forEach(collector::query);
    collector.requestEnded();
    return collector.result;
  }

  /** Requests what the request names of one node. */
  static CompletableFuture<NodeStatus> ofNode(
      ClientContext context, NodeAddress address, StatusRequest request) {
    return AdminCall.of(
        context.pool(address),
        Opcode.STATUS,
        request,
        NodeStatus.parser(),
        context.loop(),
        context.options().attemptTimeout());
  }

  private void query(NodeAddress address) {
    NodeReport noResponse =
        new NodeReport(
            Optional.empty(), address, Optional.empty(), Optional.of("It did not respond."));
    if (reports.putIfAbsent(address, noResponse) != null) {
      return;
    }
    outstanding++;
    ofNode(context, address, request)
        .whenComplete(
            (status, failure) -> {
              if (failure == null) {
                responded(address, status);
              } else {
                reports.put(address, failed(address, failure));
              }
              requestEnded();
            });
  }

  private static NodeReport failed(NodeAddress address, Throwable cause) {
    return new NodeReport(
        Optional.empty(), address, Optional.empty(), Optional.of(cause.getMessage()));
  }

  private void responded(NodeAddress address, NodeStatus status) {
    NodeState state;
    try {
      state = NodeState.of(status);
    } catch (DecodeException e) {
      reports.put(address, failed(address, e));
      return;
    }
    reports.put(
        address,
        new NodeReport(Optional.of(state.id()), address, Optional.of(state), Optional.empty()));
    for (Node node : status.getTopology().getNodesList()) {
      NodeAddress found;
      try {
        found = new NodeAddress(node.getHost(), node.getClientPort());
        names.put(found, new NodeId(node.getId()));
      } catch (IllegalArgumentException e) {
        continue; // No request can be sent to a node without an address or a name.
      }
      query(found);
    }
  }

  private void requestEnded() {
    if (--outstanding == 0) {
      result.complete(new ClusterStatus(distinct()));
    }
  }

  /** Returns one report for each node: a node may have been queried at two addresses. */
  private List<NodeReport> distinct() {
    Map<String, NodeReport> byName = new HashMap<>();
    for (NodeReport report : reports.values()) {
      Optional<NodeId> id = report.id().or(() -> Optional.ofNullable(names.get(report.address())));
      NodeReport named = new NodeReport(id, report.address(), report.state(), report.problem());
      byName.merge(named.name(), named, (a, b) -> a.isUp() ? a : b);
    }
    return byName.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
