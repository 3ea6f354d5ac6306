package io.quorate.torture.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * Measures the longest intervals without a successful operation of any client, by the kinds of
 * fault that were active at some moment of the interval. Safe for use by many threads.
 */
final class Availability {
  /** The kind of intervals without a fault. */
  static final String NO_FAULT = "none";

  private final LongSupplier nanoClock;
  private final Map<String, Long> longestNanos = new TreeMap<>();
  private final List<String> activeFaults = new ArrayList<>();
  private final Set<String> faultsSinceSuccess = new HashSet<>();
  private boolean isCounting;
  private long lastNanos;

  Availability(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Starts the measurement, when the clients start. */
  synchronized void resume() {
    isCounting = true;
    lastNanos = nanoClock.getAsLong();
    faultsSinceSuccess.clear();
    faultsSinceSuccess.addAll(activeFaults);
  }

  /** Stops the measurement until {@link #resume}, when the clients stop. */
  synchronized void suspend() {
    succeeded();
    isCounting = false;
  }

  synchronized void faultBegan(String fault) {
    activeFaults.add(fault);
    faultsSinceSuccess.add(fault);
  }

  synchronized void faultEnded(String fault) {
    activeFaults.remove(fault);
  }

  synchronized void succeeded() {
    if (!isCounting) {
      return;
    }
    long now = nanoClock.getAsLong();
    long gap = now - lastNanos;
    lastNanos = now;
    Set<String> kinds = faultsSinceSuccess.isEmpty() ? Set.of(NO_FAULT) : faultsSinceSuccess;
    kinds.forEach(kind -> longestNanos.merge(kind, gap, Math::max));
    faultsSinceSuccess.clear();
    faultsSinceSuccess.addAll(activeFaults);
  }

  /** The longest interval by kind of fault, including {@link #NO_FAULT}. */
  synchronized Map<String, Duration> longest() {
    Map<String, Duration> longest = new TreeMap<>();
    longestNanos.forEach((kind, nanos) -> longest.put(kind, Duration.ofNanos(nanos)));
    return longest;
  }
}
