package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Metric;
import java.util.OptionalDouble;

/**
 * What a batch costs where nothing fails, whatever the load.
 *
 * @param delays between replicas, one after the other, until it is decided
 * @param messages in all
 * @param syncs of each replica
 */
record Theory(int delays, int messages, int syncs) {

  /** Content to all others, and a proposal of each to all others. */
  static Theory ofOwned(int replicas) {
    return new Theory(2, (replicas - 1) + toAllOthers(replicas), 1);
  }

  /** Content to all others, then proposals, states and votes. */
  static Theory ofPublished(int replicas) {
    return new Theory(4, (replicas - 1) + 3 * toAllOthers(replicas), 3);
  }

  private static int toAllOthers(int replicas) {
    return replicas * (replicas - 1);
  }

  /** The figure; empty if it depends on the load. */
  OptionalDouble of(Metric metric) {
    return switch (metric) {
      case MESSAGES_PER_BATCH -> OptionalDouble.of(messages);
      case SYNCS_PER_BATCH -> OptionalDouble.of(syncs);
      default -> OptionalDouble.empty();
    };
  }
}
