package io.quorate.server.verification.workload;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * A few keys that all clients of a workload use, until so many operations were done on them; then
 * the next few. Bounded histories of each key are what a checker can decide.
 */
final class Keys {
  private final String prefix;
  private final int count;
  private final int operationsMax;
  private final AtomicLong operations = new AtomicLong();

  Keys(String prefix, int count, int operationsMax) {
    this.prefix = prefix;
    this.count = count;
    this.operationsMax = operationsMax;
  }

  /** The keys for the next operation, all of one region. */
  Group next() {
    return new Group(prefix + "-" + operations.getAndIncrement() / operationsMax + "-", count);
  }

  /** An operation of unknown outcome weighs more, since the checker has to try both. */
  void weigh() {
    operations.addAndGet(operationsMax / 8);
  }

  /** Keys that differ in one digit after a common prefix that no other key has. */
  record Group(String prefix, int count) {
    List<String> keys() {
      return IntStream.range(0, count).mapToObj(this::key).toList();
    }

    String key(int number) {
      return prefix + number;
    }

    /** The key before which a scan of the whole group ends. */
    String end() {
      return prefix + ":";
    }
  }
}
