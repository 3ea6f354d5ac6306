package io.quorate.server.verification.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongSupplier;

/**
 * The longest times in which no operation of any client succeeded, by the kinds of fault that
 * lasted at some moment of them. Safe for use by many threads.
 */
final class Availability {
  /** Stands for times without a fault. */
  static final String NO_FAULT = "none";

  private final LongSupplier nanoClock;
  private final Map<String, Long> longestNanos = new TreeMap<>();
  private final List<String> lasting = new ArrayList<>();
  private final Set<String> sinceSuccess = new HashSet<>();
  private boolean isCounting;
  private long lastNanos;

  Availability(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /** Clients begin: time counts from here on. */
  synchronized void resume() {
    isCounting = true;
    lastNanos = nanoClock.getAsLong();
    sinceSuccess.clear();
    sinceSuccess.addAll(lasting);
  }

  /** Clients end: time does not count until {@link #resume}. */
  synchronized void suspend() {
    succeeded();
    isCounting = false;
  }

  synchronized void began(String fault) {
    lasting.add(fault);
    sinceSuccess.add(fault);
  }

  synchronized void ended(String fault) {
    lasting.remove(fault);
  }

  synchronized void succeeded() {
    if (!isCounting) {
      return;
    }
    long now = nanoClock.getAsLong();
    long gap = now - lastNanos;
    lastNanos = now;
    Set<String> kinds = sinceSuccess.isEmpty() ? Set.of(NO_FAULT) : sinceSuccess;
    kinds.forEach(kind -> longestNanos.merge(kind, gap, Math::max));
    sinceSuccess.clear();
    sinceSuccess.addAll(lasting);
  }

  /** By kind of fault, {@link #NO_FAULT} among them. */
  synchronized Map<String, Duration> longest() {
    Map<String, Duration> longest = new TreeMap<>();
    longestNanos.forEach((kind, nanos) -> longest.put(kind, Duration.ofNanos(nanos)));
    return longest;
  }
}
