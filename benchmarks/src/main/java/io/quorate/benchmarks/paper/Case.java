package io.quorate.benchmarks.paper;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One load, on clusters of one kind, under which contenders are compared.
 *
 * @param experiment what it is a part of
 * @param clusters on which it is measured
 * @param conditions under which the nodes are
 * @param load what the clients do
 * @param contenders who is measured
 * @param observation what is seen of the nodes too
 */
public record Case(
    String experiment,
    Clusters clusters,
    Conditions conditions,
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

  public Duration oneWayDelay() {
    return conditions.oneWayDelay();
  }

  public String name() {
    String on = clusters.name().isEmpty() ? "" : clusters.name() + SEPARATOR;
    String under = conditions.text().isEmpty() ? "" : SEPARATOR + conditions.text();
    return String.format(Locale.ROOT, "N=%d, %s%s%s", replicas(), on, load.name(), under);
  }
}
