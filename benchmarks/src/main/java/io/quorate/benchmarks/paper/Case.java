package io.quorate.benchmarks.paper;

import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One load, on clusters of one size, under which contenders are compared.
 *
 * @param experiment what it is a part of
 * @param replicas of each cluster
 * @param oneWayDelay between any two sites
 * @param load what the clients do
 * @param contenders who is measured
 * @param counts whether what nodes count about themselves is read too
 */
public record Case(
    String experiment,
    int replicas,
    Duration oneWayDelay,
    Load load,
    List<Contender> contenders,
    boolean counts) {
  public Case {
    contenders = List.copyOf(contenders);
  }

  public String name() {
    String near = String.format(Locale.ROOT, "N=%d, %s", replicas, load.name());
    return oneWayDelay.isZero()
        ? near
        : near + ", " + oneWayDelay.toMillis() + " ms between sites (in-process delay)";
  }
}
