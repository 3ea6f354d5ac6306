package io.quorate.server.testing;

import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.Preset;
import io.quorate.server.node.Engines;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The presets that tests run under. */
public final class Presets {
  private Presets() {}

  /** Every preset whose engine is on the class path. */
  public static List<Preset> installed() {
    return Engines.presets();
  }

  /** One installed preset for each mode whose reads are linearizable. */
  public static List<Preset> linearizable() {
    Map<ClusterMode, Preset> byMode = new LinkedHashMap<>();
    installed().stream()
        .filter(preset -> preset.mode().reads().isLinearizable())
        .forEach(preset -> byMode.putIfAbsent(preset.mode(), preset));
    return List.copyOf(byMode.values());
  }

  /** One preset for each engine, for tests that do not depend on the mode of reads. */
  public static List<String> onePerEngine() {
    Set<String> names = Set.of("buc", "acqr");
    return installed().stream().map(Preset::name).filter(names::contains).toList();
  }
}
