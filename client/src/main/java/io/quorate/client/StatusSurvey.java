package io.quorate.client;

import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.v1.Node;
import io.quorate.client.wire.v1.NodeStatus;
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
  private final Map<NodeAddress, String> names = new HashMap<>();
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
                          survey.names.put(address, id.value());
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
                reports.put(
                    address,
                    new NodeReport(
                        Optional.empty(),
                        address,
                        Optional.empty(),
                        Optional.of(failure.getMessage())));
              }
              settled();
            });
  }

  private void answered(NodeAddress address, NodeStatus status) {
    reports.put(
        address,
        new NodeReport(
            Optional.of(status.getNode().getId()), address, Optional.of(status), Optional.empty()));
    for (Node node : status.getTopology().getNodesList()) {
      NodeAddress found;
      try {
        found = new NodeAddress(node.getHost(), node.getClientPort());
      } catch (IllegalArgumentException e) {
        continue; // A node without an address cannot be asked.
      }
      names.put(found, node.getId());
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
      Optional<String> id = report.id().or(() -> Optional.ofNullable(names.get(report.address())));
      NodeReport named = new NodeReport(id, report.address(), report.status(), report.problem());
      byName.merge(id.orElse(report.address().toString()), named, (a, b) -> a.isUp() ? a : b);
    }
    return byName.entrySet().stream()
        .sorted(Map.Entry.comparingByKey(Comparator.naturalOrder()))
        .map(Map.Entry::getValue)
        .toList();
  }
}
