package io.quorate.server.verification.torture;

import io.quorate.server.localcluster.ClusterPlan.Shape;
import io.quorate.server.verification.canary.Canary;
import io.quorate.server.verification.nemesis.Nemesis;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What to torture, how, and for how long.
 *
 * @param shape of the cluster, of three regions or more so that clients write to several
 * @param time after which no further round begins; at least one is run
 * @param nemeses to choose from, one or more
 * @param gapMax how long no write to a region may succeed while a majority is well
 * @param canary the rule that is broken in every node; empty for a product as it is
 * @param keep the directory for everything, which stays; empty for a temporary one, which stays
 *     only if something was found
 */
public record TortureOptions(
    Shape shape,
    Duration time,
    Seed seed,
    List<Nemesis> nemeses,
    Duration gapMax,
    Optional<Canary> canary,
    Optional<Path> keep) {
  public TortureOptions {
    nemeses = List.copyOf(nemeses);
  }
}
