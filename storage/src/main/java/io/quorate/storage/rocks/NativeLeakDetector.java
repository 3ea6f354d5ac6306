package io.quorate.storage.rocks;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts the open native objects of this process by class. The {@link NativeScope} that owns an
 * object registers it here, so that a test can verify that none was left open.
 */
public final class NativeLeakDetector {
  private static final Map<String, LongAdder> OPEN = new ConcurrentHashMap<>();

  private NativeLeakDetector() {}

  static void opened(String kind) {
    OPEN.computeIfAbsent(kind, any -> new LongAdder()).increment();
  }

  static void closed(String kind) {
    OPEN.computeIfAbsent(kind, any -> new LongAdder()).decrement();
  }

  /** The open objects; exact only while no object is being opened or closed. */
  public static Map<String, Long> open() {
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
