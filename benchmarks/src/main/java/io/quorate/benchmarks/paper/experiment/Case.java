package io.quorate.benchmarks.paper.experiment;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One load, on clusters of one kind, under which systems are compared.
 *
 * @param experiment name of the experiment that contains the case
 * @param clusters the clusters of the case
 * @param conditions network delay, CPU limits and outage of the nodes
 * @param load the load of the clients
 * @param contenders the systems under test
 * @param observation what is measured
 */
public record Case(
    String experiment,
    Clusters clusters,
    Conditions conditions,
    ClientLoad load,
    List<SystemUnderTest> contenders,
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
