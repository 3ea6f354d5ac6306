package io.quorate.server.verification.torture;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/** For how long no write to a region succeeded. Safe for use by many threads. */
final class RegionProgress {
  /** The longest such time of all regions. */
  record Gap(int region, Duration length) {}

  private final LongSupplier nanoClock;
  private final Map<Integer, Long> lastNanos = new HashMap<>();
  private final Map<Integer, Long> longestNanos = new HashMap<>();

  RegionProgress(Collection<Integer> regions, LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
    regions.forEach(region -> lastNanos.put(region, 0L));
    begin();
  }

  /** Time counts from here on, and what was before does not. */
  synchronized void begin() {
    long now = nanoClock.getAsLong();
    lastNanos.replaceAll((region, last) -> now);
    longestNanos.clear();
  }

  synchronized void succeeded(int region) {
    long now = nanoClock.getAsLong();
    longestNanos.merge(region, now - lastNanos.put(region, now), Math::max);
  }

  /** The longest gap since {@link #begin}, one that lasts included. */
  synchronized Gap longest() {
    lastNanos.keySet().forEach(this::succeeded);
    return longestNanos.entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(entry -> new Gap(entry.getKey(), Duration.ofNanos(entry.getValue())))
        .orElseThrow();
  }
}
