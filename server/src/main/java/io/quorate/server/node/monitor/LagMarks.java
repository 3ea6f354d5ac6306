package io.quorate.server.node.monitor;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * When positions of a region were known to be committed that one of its replicas has not applied.
 * Used by one thread; the caller supplies the time.
 */
final class LagMarks {
  /** While there are so many, newer positions are left out: the oldest ones decide. */
  private static final int MARKS_MAX = 300;

  /**
   * @param position that was committed by the time
   */
  private record Mark(long position, long nanos) {}

  private final Deque<Mark> marks = new ArrayDeque<>();

  /**
   * Records what is applied and what is committed at a time.
   *
   * @param committed the greatest position that is known to be committed now
   * @param nanos as {@link System#nanoTime}; never earlier than in the call before
   * @return the time since the first position was recorded that is not applied; zero if there is
   *     none
   */
  Duration observe(long applied, long committed, long nanos) {
    while (!marks.isEmpty() && marks.peekFirst().position() <= applied) {
      marks.removeFirst();
    }
    // Known by a node that no longer says so, as after its disk was replaced.
    while (!marks.isEmpty() && marks.peekLast().position() > committed) {
      marks.removeLast();
    }
    long newest = marks.isEmpty() ? applied : marks.peekLast().position();
    if (committed > newest && marks.size() < MARKS_MAX) {
      marks.addLast(new Mark(committed, nanos));
    }
    return marks.isEmpty() ? Duration.ZERO : Duration.ofNanos(nanos - marks.peekFirst().nanos());
  }
}
