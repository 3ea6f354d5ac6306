package io.quorate.torture.workload;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * The group of keys that all clients of a workload use. After a number of operations, a new group
 * replaces it, because the checker can decide only bounded histories of a key. Safe for use by many
 * threads.
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

  /** Counts an operation and returns the keys for it, all of one region. */
  Group next() {
    return new Group(prefix + "-" + operations.getAndIncrement() / operationsMax + "-", count);
  }

  /** The prefix of all keys of the group that a key belongs to. */
  static String groupOf(String key) {
    return key.substring(0, key.lastIndexOf('-') + 1);
  }

  /** Counts an indeterminate operation as several, because the checker has to try both outcomes. */
  void countIndeterminate() {
    operations.addAndGet(operationsMax / 8);
  }

  /** Keys that differ in one digit after a prefix that no key of another group has. */
  record Group(String prefix, int count) {
    List<String> keys() {
      return IntStream.range(0, count).mapToObj(this::key).toList();
    }

    String key(int number) {
      return prefix + number;
    }

    /** A key of the same region that is not in the scan of the group. */
    String unique(long number) {
      return end() + number;
    }

    /** The exclusive end of a scan of the whole group. */
    String end() {
      return prefix + ":";
    }
  }
}
