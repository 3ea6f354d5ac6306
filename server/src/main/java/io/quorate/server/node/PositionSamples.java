package io.quorate.server.node;

import io.quorate.consensus.Position;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;

/**
 * Remembers how far a replica had applied at which time, to tell where it stood some time ago. One
 * thread; the clock is the caller's.
 */
final class PositionSamples {
  private record Sample(long nanos, Position position) {}

  private final long ageNanos;
  private final Deque<Sample> samples = new ArrayDeque<>();

  /**
   * @param age how long ago is asked for
   */
  PositionSamples(Duration age) {
    this.ageNanos = age.toNanos();
  }

  /** Notes that this much is applied at this time. Times do not go back. */
  void add(long nowNanos, Position applied) {
    samples.addLast(new Sample(nowNanos, applied));
  }

  /**
   * What was applied at least the given age ago, the newest such; empty if nothing was known then.
   * Older samples are forgotten.
   */
  Optional<Position> before(long nowNanos) {
    Optional<Position> newest = Optional.empty();
    while (!samples.isEmpty() && nowNanos - samples.peekFirst().nanos() >= ageNanos) {
      newest = Optional.of(samples.pollFirst().position());
    }
    return newest;
  }
}
