package io.quorate.server.cli.status;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Sentences;
import io.quorate.server.cli.terminal.ExitCode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
    /**
     * Every node responds, accepts writes and stores them; every replica is present, ready and not
     * far behind.
     */
    HEALTHY,
    /** Every region accepts writes, but there is a problem that may become worse. */
    DEGRADED,
    /** At least one region accepts no writes, none is known, or no node responds. */
    UNAVAILABLE;

    String text() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Has no fixed number of replicas. */
  private static final int METADATA = 0;

  ClusterHealth {
    problems = List.copyOf(problems);
  }

  static ClusterHealth of(ClusterStatus status, List<RegionView> regions) {
    if (!status.isReachable()) {
      return new ClusterHealth(Level.UNAVAILABLE, List.of("no node responds"));
    }
    List<String> fatal = new ArrayList<>();
    if (regions.isEmpty()) {
      fatal.add("no node that responds knows a region");
    }
    for (RegionView.NoWrites reason : RegionView.NoWrites.values()) {
      addRegions(fatal, regions, reason);
    }
    List<String> others = new ArrayList<>();
    addNodes(others, status);
    addReplicas(others, regions, RegionView.Role.ABSENT, "has no replica", "have no replica");
    addReplicas(
        others, regions, RegionView.Role.LOST, "has lost its replica", "have lost their replicas");
    addMissing(others, regions, status.replicasWanted());
    addWaiting(others, regions);
    addReplicas(
        others,
        regions,
        RegionView.Role.NOT_READY,
        "has a replica that is not ready",
        "have replicas that are not ready");
    addBehind(others, regions);
    addUnled(others, regions);
    addProblems(others, regions);
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
      List<String> problems, List<RegionView> regions, RegionView.NoWrites reason) {
    List<Integer> ids =
        regions.stream()
            .filter(region -> region.noWrites().equals(Optional.of(reason)))
            .map(RegionView::id)
            .toList();
    if (!ids.isEmpty()) {
      problems.add(
          names(ids) + (ids.size() == 1 ? " takes" : " take") + " no writes, because " + reason);
    }
  }

  private static String names(List<Integer> regions) {
    return (regions.size() == 1 ? "region " : "regions ")
        + regions.stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  /** One problem for each node: what keeps a node behind concerns most of its replicas. */
  private static void addBehind(List<String> problems, List<RegionView> regions) {
    Map<String, Duration> longest = new HashMap<>();
    for (RegionView region : regions) {
      for (RegionView.ReplicaView view : region.replicas()) {
        view.behind().ifPresent(time -> longest.merge(view.node(), time, ClusterHealth::longer));
      }
    }
    regionsByNode(regions, view -> view.behind().isPresent())
        .forEach(
            (node, ids) ->
                problems.add(
                    String.format(
                        Locale.ROOT,
                        "node %s has been behind with %s for %d s",
                        node,
                        names(ids),
                        longest.get(node).toSeconds())));
  }

  private static Duration longer(Duration one, Duration other) {
    return one.compareTo(other) >= 0 ? one : other;
  }

  /** Replicas that know no leader of a region that has one. */
  private static void addUnled(List<String> problems, List<RegionView> regions) {
    List<RegionView> led = regions.stream().filter(region -> region.noWrites().isEmpty()).toList();
    regionsByNode(led, RegionView.ReplicaView::isUnled)
        .forEach((node, ids) -> problems.add("node " + node + " knows no leader of " + names(ids)));
  }

  private static Map<String, List<Integer>> regionsByNode(
      List<RegionView> regions, Predicate<RegionView.ReplicaView> filter) {
    Map<String, List<Integer>> byNode = new TreeMap<>();
    for (RegionView region : regions) {
      region.replicas().stream()
          .filter(filter)
          .forEach(
              view ->
                  byNode.computeIfAbsent(view.node(), node -> new ArrayList<>()).add(region.id()));
    }
    return byNode;
  }

  private static void addProblems(List<String> problems, List<RegionView> regions) {
    for (RegionView region : regions) {
      for (RegionView.ReplicaView view : region.replicas()) {
        view.replica()
            .flatMap(ReplicaState::problem)
            .map(
                problem ->
                    "the replica of region " + region.id() + " on " + view.node() + " " + problem)
            .ifPresent(problems::add);
      }
    }
  }

  private static void addNodes(List<String> problems, ClusterStatus status) {
    for (NodeReport node : status.nodes()) {
      String name = node.name();
      if (!node.isUp() && !isForeign(node, status)) {
        problems.add("node " + name + " is down");
      }
      if (node.state().isPresent()) {
        NodeState up = node.state().get();
        String refusal = Sentences.phrase(up.refusal().orElse(""));
        if (!up.acceptsWrites()) {
          problems.add(
              "node " + name + " refuses writes" + (refusal.isEmpty() ? "" : ": " + refusal));
        }
        // Damaged rows are both.
        String failures =
            up.storageFailures().stream()
                .distinct()
                .filter(failure -> !Sentences.phrase(failure).equals(refusal))
                .collect(Collectors.joining(" "));
        if (!failures.isEmpty()) {
          problems.add("node " + name + " cannot store: " + Sentences.phrase(failures));
        }
      }
    }
  }

  /** An address of the command line at which no node of the cluster is, such as a former one. */
  private static boolean isForeign(NodeReport node, ClusterStatus status) {
    return node.id().isEmpty()
        && status.nodes().stream()
            .flatMap(each -> each.state().stream())
            .anyMatch(state -> !state.nodes().isEmpty());
  }

  /** Regions of rows with fewer replicas than they are to have with the present nodes. */
  private static void addMissing(List<String> problems, List<RegionView> regions, int wanted) {
    for (RegionView region : regions) {
      int count = region.members().size();
      if (region.id() != METADATA && count < wanted) {
        problems.add(
            String.format(
                Locale.ROOT, "region %d has %d of %d replicas", region.id(), count, wanted));
      }
    }
  }

  private static void addWaiting(List<String> problems, List<RegionView> regions) {
    for (RegionView region : regions) {
      region
          .plan()
          .flatMap(plan -> region.planProblem())
          .ifPresent(
              reason ->
                  problems.add("region " + region.id() + " waits: " + Sentences.phrase(reason)));
    }
  }

  private static String inBrackets(Optional<String> damage) {
    return damage.map(sentence -> " (" + Sentences.phrase(sentence) + ")").orElse("");
  }

  /**
   * One problem for each node, and for each kind of damage there: what keeps a node from having a
   * replica concerns most of them.
   *
   * @param ofOne about one region
   * @param ofSeveral about several regions
   */
  private static void addReplicas(
      List<String> problems,
      List<RegionView> regions,
      RegionView.Role role,
      String ofOne,
      String ofSeveral) {
    Map<String, List<Integer>> byPlace = new LinkedHashMap<>();
    for (RegionView region : regions) {
      region.replicas().stream()
          .filter(replica -> replica.role() == role)
          .map(replica -> replica.node() + inBrackets(replica.damage()))
          .forEach(
              place -> byPlace.computeIfAbsent(place, any -> new ArrayList<>()).add(region.id()));
    }
    byPlace.forEach(
        (place, ids) ->
            problems.add(
                names(ids) + " " + (ids.size() == 1 ? ofOne : ofSeveral) + " on " + place));
  }
}
