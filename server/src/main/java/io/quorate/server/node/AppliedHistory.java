package io.quorate.server.node;

import io.quorate.model.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * Samples of a replica's applied position over time, to determine the position that is older than a
 * given age. Used by one thread; the caller supplies the time.
 */
final class AppliedHistory {
  /** Samples are this part of the age apart, at least, so that there are few. */
  private static final int INTERVAL_DIVISOR = 12;

  /**
   * @param nanos when the position was applied already
   */
  record Sample(long nanos, Position position) {}

  private final long ageNanos;
  private final Deque<Sample> samples;

  /**
   * @param age age of the positions that {@link #before} returns
   */
  AppliedHistory(Duration age) {
    this(age, List.of());
  }

  /** With samples that were taken before, in order. */
  AppliedHistory(Duration age, List<Sample> taken) {
    this.ageNanos = age.toNanos();
    this.samples = new ArrayDeque<>(taken);
  }

  /**
   * Records the applied position at a time, unless that is too soon after the last one. Times must
   * not decrease.
   *
   * @return whether it was recorded
   */
  boolean add(long nowNanos, Position applied) {
    if (!samples.isEmpty() && nowNanos - samples.peekLast().nanos() < ageNanos / INTERVAL_DIVISOR) {
      return false;
    }
    samples.addLast(new Sample(nowNanos, applied));
    return true;
  }

  /**
   * Removes the samples that have at least the given age and returns the newest position of them;
   * empty if there is none.
   */
  Optional<Position> before(long nowNanos) {
    Optional<Position> newest = Optional.empty();
    while (!samples.isEmpty() && nowNanos - samples.peekFirst().nanos() >= ageNanos) {
      newest = Optional.of(samples.pollFirst().position());
    }
    return newest;
  }

  /** The samples that are not removed, in order. */
  List<Sample> samples() {
    return List.copyOf(samples);
  }
}
