package io.quorate.client.cli.status;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import io.quorate.client.ReplicaState;
import io.quorate.client.cli.terminal.ExitCode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The health of a cluster, computed from the status reports of its nodes. Without side effects.
 *
 * @param problems each problem and its location, the most severe first; empty if the cluster is
 *     healthy
 */
record ClusterHealth(Level level, List<String> problems) {
  enum Level {
    /** Every node responds, accepts writes and stores them; every replica is present and ready. */
    HEALTHY,
    /** Every region accepts writes, but there is a problem that may become worse. */
    DEGRADED,
    /** At least one region accepts no writes, or no node responds. */
    UNAVAILABLE;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  ClusterHealth {
    problems = List.copyOf(problems);
  }

  static ClusterHealth of(ClusterStatus status, List<RegionView> regions) {
    if (!status.isReachable()) {
      return new ClusterHealth(Level.UNAVAILABLE, List.of("no node responds"));
    }
    List<String> fatal = new ArrayList<>();
    addRegions(
        fatal,
        regions,
        region -> !region.hasMajority(),
        "no writes, because fewer than a majority of the replicas are there");
    addRegions(
        fatal,
        regions,
        RegionView::isRefused,
        "no writes, because the node of the leader refuses them, or every node does");
    addRegions(
        fatal,
        regions,
        region -> region.hasMajority() && !region.isAvailable() && !region.isRefused(),
        "no writes, because no replica leads or is ready");
    List<String> others = new ArrayList<>();
    addNodes(others, status);
    addReplicas(others, regions, RegionView.Role.ABSENT, "has no replica on ");
    addReplicas(others, regions, RegionView.Role.LOST, "has lost its replica on ");
    addReplicas(others, regions, RegionView.Role.NOT_READY, "has a replica that is not ready on ");
    for (RegionView region : regions) {
      for (RegionView.ReplicaView view : region.replicas()) {
        view.replica()
            .flatMap(ReplicaState::problem)
            .ifPresent(
                problem ->
                    others.add(
                        "the replica of region "
                            + region.id()
                            + " on "
                            + view.node()
                            + " "
                            + problem));
      }
    }
    Level level =
        fatal.isEmpty() ? others.isEmpty() ? Level.HEALTHY : Level.DEGRADED : Level.UNAVAILABLE;
    fatal.addAll(others);
    return new ClusterHealth(level, fatal);
  }

  /** Formats one line: the level, then the problems. */
  String headline() {
    return problems.isEmpty() ? level.name() : level + ": " + String.join("; ", problems);
  }

  /** The exit code for scripts: 0 if the cluster is healthy, 1 if degraded, 3 if unavailable. */
  ExitCode exitCode() {
    return switch (level) {
      case HEALTHY -> ExitCode.OK;
      case DEGRADED -> ExitCode.NOT_MET;
      case UNAVAILABLE -> ExitCode.UNAVAILABLE;
    };
  }

  private static void addRegions(
      List<String> problems,
      List<RegionView> regions,
      Predicate<RegionView> filter,
      String problem) {
    List<Integer> ids = regions.stream().filter(filter).map(RegionView::id).toList();
    if (!ids.isEmpty()) {
      problems.add(
          (ids.size() == 1 ? "region " : "regions ")
              + ids.stream().map(String::valueOf).collect(Collectors.joining(", "))
              + (ids.size() == 1 ? " takes " : " take ")
              + problem);
    }
  }

  private static void addNodes(List<String> problems, ClusterStatus status) {
    for (NodeReport node : status.nodes()) {
      String name = node.name();
      if (!node.isUp()) {
        problems.add("node " + name + " is down");
      }
      node.state()
          .filter(up -> !up.acceptsWrites())
          .ifPresent(up -> problems.add("node " + name + " refuses writes"));
      node.state()
          .filter(up -> !up.storageFailures().isEmpty())
          .ifPresent(
              up ->
                  problems.add(
                      "node " + name + " cannot store: " + String.join(" ", up.storageFailures())));
    }
  }

  private static void addReplicas(
      List<String> problems, List<RegionView> regions, RegionView.Role role, String problem) {
    for (RegionView region : regions) {
      List<String> nodes =
          region.replicas().stream()
              .filter(replica -> replica.role() == role)
              .map(RegionView.ReplicaView::node)
              .toList();
      if (!nodes.isEmpty()) {
        problems.add("region " + region.id() + " " + problem + String.join(", ", nodes));
      }
    }
  }
}
