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

  /** Of those, one for each combination of mode under which reads are linearizable. */
  public static List<Preset> linearizable() {
    Map<ClusterMode, Preset> byKnobs = new LinkedHashMap<>();
    installed().stream()
        .filter(preset -> preset.mode().reads().isLinearizable())
        .forEach(preset -> byKnobs.putIfAbsent(preset.mode(), preset));
    return List.copyOf(byKnobs.values());
  }

  /** One for each engine, for tests to which it is all the same how reads are served. */
  public static List<String> fewest() {
    Set<String> names = Set.of("buc", "acqr");
    return installed().stream().map(Preset::name).filter(names::contains).toList();
  }
}
