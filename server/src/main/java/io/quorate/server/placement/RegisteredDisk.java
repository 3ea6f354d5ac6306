package io.quorate.server.placement;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeState;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.wire.v1.RegionChange;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A request to accept the disk of a node that is registered already: either a repetition, while the
 * node waits for its replicas, or a mistake, because the node still runs on the disk that is to be
 * replaced. Pure.
 */
final class RegisteredDisk {
  private RegisteredDisk() {}

  /**
   * Requires that the node waits for replicas, and that nothing is wrong with its disk.
   *
   * @param changes that are under way or follow
   * @throws ConsensusException.Invalid otherwise; says what is to be done
   */
  static void requireWaiting(NodeId node, ClusterStatus status, List<RegionChange> changes) {
    Set<GroupId> changing =
        changes.stream()
            .filter(change -> isReplaced(change, node))
            .map(change -> new GroupId(change.getRegion()))
            .collect(Collectors.toSet());
    Optional<NodeState> state =
        status.nodes().stream()
            .flatMap(report -> report.state().stream())
            .filter(each -> each.id().equals(node))
            .findFirst();
    Set<GroupId> lost =
        new TreeSet<>(state.map(each -> each.lostReplicas().keySet()).orElse(Set.of()));
    lost.removeAll(changing);
    List<String> failures = state.map(NodeState::storageFailures).orElse(List.of());
    if (!changing.isEmpty() && lost.isEmpty() && failures.isEmpty()) {
      return;
    }
    throw new ConsensusException.Invalid(
        String.format(
            Locale.ROOT,
            "Node %s runs on the disk that is registered for it%s%s; to replace the disk, stop the"
                + " node, move its directories away, start it, and repeat this.",
            node,
            lost.isEmpty() ? "" : ", and has lost its replicas of regions " + join(lost),
            failures.isEmpty() ? "" : ", and cannot store (" + String.join(" ", failures) + ")"));
  }

  /** Whether the former replica leaves, or another one is added. */
  private static boolean isReplaced(RegionChange change, NodeId node) {
    String from = change.getChange().getFrom();
    String to = change.getChange().getTo();
    return to.equals(node.value()) || to.isEmpty() && from.equals(node.value());
  }

  private static String join(Set<GroupId> regions) {
    return regions.stream().map(GroupId::toString).collect(Collectors.joining(", "));
  }
}
