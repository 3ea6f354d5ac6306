package io.quorate.client.cli;

import io.quorate.client.ClusterStatus;
import io.quorate.client.NodeReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Whether a cluster does what it is there for, as far as its nodes report. Pure.
 *
 * @param problems what is wrong and where, the worst first; none where it is healthy
 */
record ClusterHealth(Level level, List<String> problems) {
  enum Level {
    /** Every node responds and takes writes, and every replica that is to be there is. */
    HEALTHY,
    /** Every region takes writes; something is wrong that may become worse. */
    DEGRADED,
    /** Some region takes no writes. */
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
        region -> region.hasMajority() && !region.isAvailable(),
        "no writes, because no replica leads or is ready");
    List<String> others = new ArrayList<>();
    addNodes(others, status);
    addReplicas(others, regions, RegionView.Role.ABSENT, "has no replica on ");
    addReplicas(others, regions, RegionView.Role.NOT_READY, "has a replica that is not ready on ");
    Level level =
        fatal.isEmpty() ? others.isEmpty() ? Level.HEALTHY : Level.DEGRADED : Level.UNAVAILABLE;
    fatal.addAll(others);
    return new ClusterHealth(level, fatal);
  }

  /** One line: the level, then what is wrong. */
  String headline() {
    return problems.isEmpty() ? level.name() : level + ": " + String.join("; ", problems);
  }

  /** For scripts: 0 where it is healthy, 1 where it is degraded, 3 where it is unavailable. */
  ExitCode exitCode() {
    return switch (level) {
      case HEALTHY -> ExitCode.OK;
      case DEGRADED -> ExitCode.NOT_MET;
      case UNAVAILABLE -> ExitCode.UNAVAILABLE;
    };
  }

  private static void addRegions(
      List<String> problems, List<RegionView> regions, Predicate<RegionView> those, String what) {
    List<Integer> ids = regions.stream().filter(those).map(RegionView::id).toList();
    if (!ids.isEmpty()) {
      problems.add(
          (ids.size() == 1 ? "region " : "regions ")
              + ids.stream().map(String::valueOf).collect(Collectors.joining(", "))
              + (ids.size() == 1 ? " takes " : " take ")
              + what);
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
    }
  }

  private static void addReplicas(
      List<String> problems, List<RegionView> regions, RegionView.Role role, String what) {
    for (RegionView region : regions) {
      List<String> nodes =
          region.replicas().stream()
              .filter(replica -> replica.role() == role)
              .map(RegionView.ReplicaView::node)
              .toList();
      if (!nodes.isEmpty()) {
        problems.add("region " + region.id() + " " + what + String.join(", ", nodes));
      }
    }
  }
}
