package io.quorate.server.node;

import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Samples of a replica's applied position over time, to determine the position that is older than a
 * given age. Used by one thread; the caller supplies the time.
 */
final class AppliedHistory {
  private record Sample(long nanos, Position position) {}

  private final long ageNanos;
  private final Deque<Sample> samples = new ArrayDeque<>();

  /**
   * @param age age of the positions that {@link #before} returns
   */
  AppliedHistory(Duration age) {
    this.ageNanos = age.toNanos();
  }

  /** Records the applied position at a time. Times must not decrease. */
  void add(long nowNanos, Position applied) {
    samples.addLast(new Sample(nowNanos, applied));
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
}
