package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Asks every node that is known for its state, and every node that becomes known by the answers.
 * Lives on the event loop.
 */
final class StatusSurvey {
  private final ClientCore core;
  private final CompletableFuture<ClusterStatus> result = new CompletableFuture<>();
  private final Map<NodeAddress, NodeReport> reports = new HashMap<>();
  private final Map<NodeAddress, NodeId> names = new HashMap<>();
  private int unanswered;

  private StatusSurvey(ClientCore core) {
    this.core = core;
  }

  static CompletableFuture<ClusterStatus> of(ClientCore core) {
    StatusSurvey survey = new StatusSurvey(core);
    List<NodeAddress> first = new ArrayList<>(core.options().seeds());
    core.router()
        .map()
        .ifPresent(
            map ->
                map.nodes()
                    .forEach(
                        (id, address) -> {
                          survey.names.put(address, id);
                          first.add(address);
                        }));
    // Counted before the first is asked, so that the survey does not end between two of them.
    survey.unanswered++;
    first.forEach(survey::ask);
    survey.settled();
    return survey.result;
  }

  private void ask(NodeAddress address) {
    NodeReport pending =
        new NodeReport(
            Optional.empty(), address, Optional.empty(), Optional.of("It did not answer."));
    if (reports.putIfAbsent(address, pending) != null) {
      return;
    }
    unanswered++;
    Ask.of(
            core.link(address),
            Opcode.STATUS,
            NodeStatus.parser(),
            core.loop(),
            core.options().attemptTimeout())
        .whenComplete(
            (status, failure) -> {
              if (failure == null) {
                answered(address, status);
              } else {
                reports.put(address, failed(address, failure));
              }
              settled();
            });
  }

  private static NodeReport failed(NodeAddress address, Throwable why) {
    return new NodeReport(
        Optional.empty(), address, Optional.empty(), Optional.of(why.getMessage()));
  }

  private void answered(NodeAddress address, NodeStatus status) {
    NodeState state;
    try {
      state = NodeState.of(status);
    } catch (MalformedException e) {
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
      ask(found);
    }
  }

  private void settled() {
    if (--unanswered == 0) {
      result.complete(new ClusterStatus(distinct()));
    }
  }

  /** One report a node: the same node may have been asked by two names of its host. */
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
