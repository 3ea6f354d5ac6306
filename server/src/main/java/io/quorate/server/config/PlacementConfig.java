package io.quorate.server.config;

import java.time.Duration;

/**
 * The section {@code placement} of the configuration.
 *
 * @param changesMax the most regions whose replicas change at the same time
 * @param withdrawAfter for how long the node of a new replica may not respond before the change is
 *     taken back
 */
public record PlacementConfig(Policy policy, int changesMax, Duration withdrawAfter) {

  /** What moves without a request of an operator. */
  public enum Policy {
    /** Replicas and leaders are distributed evenly, by their number. */
    ED,
    /** Only what leaves a node that is draining, and what is missing. */
    NONE
  }
}
