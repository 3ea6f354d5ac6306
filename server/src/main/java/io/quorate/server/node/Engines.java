package io.quorate.server.node;

import io.quorate.consensus.Capabilities;
import io.quorate.consensus.ConsensusEngineProvider;
import io.quorate.consensus.SettingException;
import io.quorate.server.config.ConfigException;
import io.quorate.server.config.EngineValidator;
import io.quorate.server.config.Preset;
import io.quorate.server.config.ServerConfig;
import java.util.List;
import java.util.ServiceLoader;
import java.util.SortedMap;
import java.util.TreeMap;

/** The consensus engines on the class path. */
public final class Engines {
  private Engines() {}

  /** Every available engine, by its name. */
  public static SortedMap<String, ConsensusEngineProvider> available() {
    SortedMap<String, ConsensusEngineProvider> byName = new TreeMap<>();
    for (ConsensusEngineProvider provider : ServiceLoader.load(ConsensusEngineProvider.class)) {
      byName.put(provider.name(), provider);
    }
    return byName;
  }

  /** Every preset whose engine is on the class path. */
  public static List<Preset> presets() {
    SortedMap<String, ConsensusEngineProvider> engines = available();
    return Preset.ALL.stream()
        .filter(preset -> engines.containsKey(preset.mode().engine()))
        .toList();
  }

  /**
   * The capabilities of an engine under a configuration.
   *
   * @throws ConfigException if the engine's section is invalid, or the configuration requires a
   *     capability that the engine does not have
   */
  static Capabilities capabilities(ConsensusEngineProvider provider, ServerConfig config) {
    try {
      Capabilities capabilities = provider.capabilities(config.engine());
      EngineValidator.require(config, capabilities);
      return capabilities;
    } catch (SettingException e) {
      throw new ConfigException(e.getMessage(), e);
    }
  }
}
