package io.quorate.storage;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the native objects that are open in this process, by class. Every native object of this
 * module is entered here by the {@link NativeScope} that owns it, so that a test can tell that none
 * was left open.
 */
final class NativeLedger {
  private static final Map<String, LongAdder> OPEN = new ConcurrentHashMap<>();

  private NativeLedger() {}

  static void opened(String kind) {
    OPEN.computeIfAbsent(kind, any -> new LongAdder()).increment();
  }

  static void closed(String kind) {
    OPEN.computeIfAbsent(kind, any -> new LongAdder()).decrement();
  }

  /** What is open now; exact only while nothing is opened or closed. */
  static Map<String, Long> open() {
    Map<String, Long> open = new TreeMap<>();
    OPEN.forEach(
        (kind, count) -> {
          if (count.sum() != 0) {
            open.put(kind, count.sum());
          }
        });
    return open;
  }
}
