package io.quorate.torture.run;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.torture.canary.Canary;
import io.quorate.torture.nemesis.arena.Nemesis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Options of a torture run.
 *
 * @param shape of the cluster, with three regions or more, because clients write to several
 * @param settings configuration keys of the nodes to override, such as {@code cluster.replicas}
 * @param time the time after which no further round starts; at least one round runs
 * @param nemeses the kinds of fault to choose from, one or more
 * @param gapMax the maximum time without a successful write to a region while a majority is healthy
 * @param canary the rule that is broken in every node; empty to run the nodes unchanged
 * @param keep the directory for all files, which is kept; empty for a temporary one, which is kept
 *     only after a finding
 */
public record TortureOptions(
    Shape shape,
    Map<String, String> settings,
    Duration time,
    Seed seed,
    List<Nemesis> nemeses,
    Duration gapMax,
    Optional<Canary> canary,
    Optional<Path> keep) {
  public TortureOptions {
    settings = Map.copyOf(settings);
    nemeses = List.copyOf(nemeses);
  }
}
