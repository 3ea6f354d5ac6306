package io.quorate.benchmarks.paper;

import io.quorate.benchmarks.cluster.ProcessorShares;
import java.time.Duration;

/**
 * What the machine is made to look like to the nodes during a turn.
 *
 * @param oneWayDelay between any two sites
 * @param corePercent what each node may take of one core; {@link ProcessorShares#UNBOUNDED} for no
 *     bound
 * @param corePercentOfSlow the same for one node that does not lead
 */
public record Conditions(Duration oneWayDelay, int corePercent, int corePercentOfSlow) {
  /** As the machine is. */
  public static final Conditions PLAIN = delay(Duration.ZERO);

  public static Conditions delay(Duration oneWay) {
    return new Conditions(oneWay, ProcessorShares.UNBOUNDED, ProcessorShares.UNBOUNDED);
  }

  /** Each node has such a part of a core. */
  public static Conditions shares(int corePercent) {
    return new Conditions(Duration.ZERO, corePercent, corePercent);
  }

  /** The same, but for one that does not lead and has less. */
  public static Conditions shares(int corePercent, int corePercentOfSlow) {
    return new Conditions(Duration.ZERO, corePercent, corePercentOfSlow);
  }

  boolean boundsProcessors() {
    return corePercent != ProcessorShares.UNBOUNDED;
  }

  /** In the names of cases; empty for none. */
  String text() {
    if (!oneWayDelay.isZero()) {
      return oneWayDelay.toMillis() + " ms between sites (in-process delay)";
    }
    if (!boundsProcessors()) {
      return "";
    }
    String each = corePercent + " % of a core each";
    return corePercentOfSlow == corePercent
        ? each
        : each + " but one with " + corePercentOfSlow + " %";
  }
}
