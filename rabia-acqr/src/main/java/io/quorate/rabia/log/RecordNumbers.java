package io.quorate.rabia.log;

import java.util.ArrayDeque;

/**
 * The numbers that the records of a replica have in the log of the node, which uses some in
 * between. Not thread-safe.
 */
final class RecordNumbers {
  /** From this record on the numbers have no gap, up to the next run. */
  private record Run(long lsn, long number) {}

  private final ArrayDeque<Run> later = new ArrayDeque<>();
  private Run first = new Run(1, Long.MAX_VALUE);
  private long lastLsn;
  private long lastNumber;

  /** Adds the number of the next record. */
  void add(long number) {
    lastLsn++;
    if (lastLsn == 1) {
      first = new Run(1, number);
    } else if (number != lastNumber + 1) {
      later.add(new Run(lastLsn, number));
    }
    lastNumber = number;
  }

  /** The last record whose number is not above this one; 0 if there is none. Never decreases. */
  long lastUpTo(long number) {
    while (!later.isEmpty() && later.peek().number() <= number) {
      first = later.remove();
    }
    if (number < first.number()) {
      return first.lsn() - 1;
    }
    long end = later.isEmpty() ? lastLsn : later.peek().lsn() - 1;
    return Math.min(end, first.lsn() + number - first.number());
  }
}
