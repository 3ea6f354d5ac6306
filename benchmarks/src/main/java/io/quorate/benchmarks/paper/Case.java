package io.quorate.benchmarks.paper;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One load, on clusters of one kind, under which contenders are compared.
 *
 * @param experiment what it is a part of
 * @param clusters on which it is measured
 * @param oneWayDelay between any two sites
 * @param load what the clients do
 * @param contenders who is measured
 * @param observation what is seen of the nodes too
 */
public record Case(
    String experiment,
    Clusters clusters,
    Duration oneWayDelay,
    Load load,
    List<Contender> contenders,
    Observation observation) {
  private static final String SEPARATOR = ", ";

  public Case {
    contenders = List.copyOf(contenders);
  }

  public int replicas() {
    return clusters.replicas();
  }

  public String name() {
    String on = clusters.name().isEmpty() ? "" : clusters.name() + SEPARATOR;
    String near = String.format(Locale.ROOT, "N=%d, %s%s", replicas(), on, load.name());
    return oneWayDelay.isZero()
        ? near
        : near + SEPARATOR + oneWayDelay.toMillis() + " ms between sites (in-process delay)";
  }
}
