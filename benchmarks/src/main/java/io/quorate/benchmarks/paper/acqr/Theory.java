package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.result.Metric;
import java.util.OptionalDouble;

/**
 * The theoretical costs of a batch without failures, independent of the load.
 *
 * @param delays number of sequential message delays between replicas until the batch is decided
 * @param messages total number of messages
 * @param syncs number of fsyncs of each replica
 */
record Theory(int delays, int messages, int syncs) {

  /** The content to all other replicas, and a proposal of each replica to all others. */
  static Theory ofOwned(int replicas) {
    return new Theory(2, (replicas - 1) + toAllOthers(replicas), 1);
  }

  /**
   * The content to all other replicas, then proposals, states and votes of each replica to all
   * others.
   */
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
