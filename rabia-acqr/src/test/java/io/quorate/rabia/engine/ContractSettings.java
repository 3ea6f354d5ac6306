package io.quorate.rabia.engine;

import io.quorate.consensus.EngineSettings;
import java.util.Map;

/** Settings under which little is enough for a log to be cut, and for a snapshot to be needed. */
final class ContractSettings {
  static final EngineSettings SETTINGS =
      new EngineSettings(
          "engine",
          Map.of(
              "segment-size", "64KiB",
              "slots-retained", "16",
              "state-interval", "20ms"));

  private ContractSettings() {}
}
