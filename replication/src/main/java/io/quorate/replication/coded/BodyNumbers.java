package io.quorate.replication.coded;

import java.util.TreeSet;

/**
 * The numbers of the bodies of one epoch. A number is assigned once, even if its body is given up.
 * Not thread-safe.
 */
final class BodyNumbers {
  private final long epoch;
  private long next;
  private final TreeSet<Long> inProgress = new TreeSet<>();

  BodyNumbers(long epoch) {
    this.epoch = epoch;
  }

  long epoch() {
    return epoch;
  }

  /** Assigns the next number; it is in progress until {@link #finish}. */
  long assign() {
    inProgress.add(next);
    return next++;
  }

  /** Records that the header of a body was proposed, or never will be. */
  void finish(long number) {
    inProgress.remove(number);
  }

  /** The lowest number in progress: no header of a lower one will be proposed from now on. */
  long floor() {
    return inProgress.isEmpty() ? next : inProgress.first();
  }
}
