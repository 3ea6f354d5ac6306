package io.quorate.benchmarks.paper.experiment;

import io.quorate.benchmarks.cluster.CpuQuotas;
import java.time.Duration;

/**
 * The simulated network delay, the CPU limits and the outage of nodes during a measurement.
 *
 * @param oneWayDelay between any two sites
 * @param corePercent CPU limit of each node, in percent of one core; {@link CpuQuotas#UNLIMITED}
 *     for no limit
 * @param corePercentOfSlow the same for one node that is not the leader
 * @param stoppedNodes number of nodes that do not run; the leader is not one of them
 */
public record Conditions(
    Duration oneWayDelay, int corePercent, int corePercentOfSlow, int stoppedNodes) {
  /** No delay and no limits. */
  public static final Conditions PLAIN = delay(Duration.ZERO);

  public static Conditions delay(Duration oneWay) {
    return new Conditions(oneWay, CpuQuotas.UNLIMITED, CpuQuotas.UNLIMITED, 0);
  }

  /** The same CPU limit for each node. */
  public static Conditions cpuLimit(int corePercent) {
    return new Conditions(Duration.ZERO, corePercent, corePercent, 0);
  }

  /** The same CPU limit for each node, except for a lower limit of one that is not the leader. */
  public static Conditions cpuLimit(int corePercent, int corePercentOfSlow) {
    return new Conditions(Duration.ZERO, corePercent, corePercentOfSlow, 0);
  }

  /** Some nodes, without the leader, do not run; the others have no limits. */
  public static Conditions stopped(int nodes) {
    return new Conditions(Duration.ZERO, CpuQuotas.UNLIMITED, CpuQuotas.UNLIMITED, nodes);
  }

  public boolean stopsNodes() {
    return stoppedNodes > 0;
  }

  public boolean limitsCpu() {
    return corePercent != CpuQuotas.UNLIMITED;
  }

  /** The description in the names of cases; empty if there is nothing to describe. */
  String text() {
    if (!oneWayDelay.isZero()) {
      return oneWayDelay.toMillis() + " ms between sites (in-process delay)";
    }
    if (stopsNodes()) {
      return stoppedNodes + (stoppedNodes == 1 ? " node" : " nodes") + " stopped";
    }
    if (!limitsCpu()) {
      return "";
    }
    String each = corePercent + " % of a core each";
    return corePercentOfSlow == corePercent
        ? each
        : each + " but one with " + corePercentOfSlow + " %";
  }
}
