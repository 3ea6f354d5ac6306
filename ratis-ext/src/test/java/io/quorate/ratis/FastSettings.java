package io.quorate.ratis;

import java.util.HashMap;
import java.util.Map;

/** Settings with short timeouts and a small log, so that tests need not wait long. */
final class FastSettings {
  private FastSettings() {}

  static Map<String, String> with(Map<String, String> overrides) {
    Map<String, String> settings =
        new HashMap<>(
            Map.of(
                "election-timeout-min", "1s",
                "election-timeout-max", "2s",
                "first-election-timeout-min", "100ms",
                "first-election-timeout-max", "400ms",
                "entry-size-max", "256KiB",
                "segment-size", "64KiB",
                "log-retained-entries", "10",
                "log-retained-for-slow-entries", "20",
                "purge-interval", "50ms"));
    settings.putAll(overrides);
    return settings;
  }
}
