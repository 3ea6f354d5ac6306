package io.quorate.rabia.engine;

import io.quorate.consensus.EngineSettings;
import java.util.HashMap;
import java.util.Map;

/** Settings with which few commands suffice to truncate a log and to require a snapshot. */
final class ContractSettings {
  private static final Map<String, String> VALUES =
      Map.of(
          "segment-size", "64KiB",
          "slots-retained", "16",
          "state-interval", "20ms");

  static final EngineSettings SETTINGS = new EngineSettings("engine", VALUES);

  private ContractSettings() {}

  static EngineSettings with(String key, String value) {
    Map<String, String> values = new HashMap<>(VALUES);
    values.put(key, value);
    return new EngineSettings("engine", values);
  }
}
