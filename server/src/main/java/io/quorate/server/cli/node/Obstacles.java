package io.quorate.server.cli.node;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.PlannedChange;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.common.Sentences;
import io.quorate.model.GroupId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What changes of replicas wait for, and for how long none of them has become complete while there
 * was an obstacle. One thread.
 */
final class Obstacles {
  private static final int REGIONS_NAMED_MAX = 8;

  private List<?> lastRemaining = List.of();
  private long changedNanos;

  /**
   * @param nowNanos of a monotonic clock, as in the other methods
   */
  Obstacles(long nowNanos) {
    changedNanos = nowNanos;
  }

  /** The regions, each with the reason that is reported of it; a phrase without a full stop. */
  static String describe(ClusterStatus status, List<PlannedChange> remaining) {
    List<GroupId> regions = regions(remaining);
    String named =
        regions.stream()
            .limit(REGIONS_NAMED_MAX)
            .map(region -> "region " + region + reason(status, region).orElse(""))
            .collect(Collectors.joining("; "));
    int others = regions.size() - REGIONS_NAMED_MAX;
    return others > 0 ? named + "; and " + others + " others" : named;
  }

  private static List<GroupId> regions(List<PlannedChange> remaining) {
    return remaining.stream().map(PlannedChange::region).distinct().toList();
  }

  private static Optional<String> reason(ClusterStatus status, GroupId region) {
    List<ReplicaState> replicas = status.replicas(region);
    if (replicas.stream().noneMatch(replica -> replica.serving() || replica.hibernating())) {
      return Optional.of(": no replica of it leads or is ready");
    }
    return replicas.stream()
        .filter(ReplicaState::serving)
        .flatMap(replica -> replica.planProblem().stream())
        .map(problem -> ": " + Sentences.phrase(problem))
        .findFirst();
  }

  /** For how long the same changes have remained, and something was reported that stops one. */
  long stalledNanos(ClusterStatus status, List<PlannedChange> remaining, long nowNanos) {
    List<?> now =
        remaining.stream()
            .map(change -> List.of(change.region(), change.from(), change.to()))
            .toList();
    boolean isStopped =
        regions(remaining).stream().anyMatch(region -> reason(status, region).isPresent());
    if (!isStopped || !Objects.equals(now, lastRemaining)) {
      lastRemaining = now;
      changedNanos = nowNanos;
    }
    return nowNanos - changedNanos;
  }
}
