package io.quorate.torture.run;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Measures the longest interval without a successful write to a region. Safe for use by many
 * threads.
 */
final class RegionProgress {
  /** An interval without a successful write to a region. */
  record Gap(int region, Duration length) {}

  private final LongSupplier nanoClock;
  private final Map<Integer, Long> lastNanos = new HashMap<>();
  private final Map<Integer, Long> longestNanos = new HashMap<>();

  RegionProgress(Collection<Integer> regions, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    regions.forEach(region -> lastNanos.put(region, 0L));
    begin();
  }

  /** Starts a new measurement and discards the previous one. */
  synchronized void begin() {
    long now = nanoClock.getAsLong();
    lastNanos.replaceAll((region, last) -> now);
    longestNanos.clear();
  }

  synchronized void succeeded(int region) {
    long now = nanoClock.getAsLong();
    longestNanos.merge(region, now - lastNanos.put(region, now), Math::max);
  }

  /** The longest gap of any region since {@link #begin}, including gaps that have not ended. */
  synchronized Gap longest() {
    lastNanos.keySet().forEach(this::succeeded);
    return longestNanos.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(entry -> new Gap(entry.getKey(), Duration.ofNanos(entry.getValue())))
        .orElseThrow();
  }
}
