package io.quorate.server.testing;

import io.quorate.server.config.Preset;
import io.quorate.server.node.Engines;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

  /**
   * The names of the first preset, and of the last of each engine, which adds most to it: for tests
   * that take long. All of them are tested by {@code ClusterTest} and tortured before a change is
   * taken over.
   */
  public static List<String> few() {
    Map<String, String> lastOfEngine = new LinkedHashMap<>();
    installed().forEach(preset -> lastOfEngine.put(preset.knobs().engine(), preset.name()));
    Set<String> names = new LinkedHashSet<>();
    names.add(installed().get(0).name());
    names.addAll(lastOfEngine.values());
    return List.copyOf(names);
  }
}
