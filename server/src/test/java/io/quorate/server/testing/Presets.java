package io.quorate.server.testing;

import io.quorate.server.config.Preset;
import io.quorate.server.node.Engines;
import java.util.List;

/** The presets that tests run under. */
public final class Presets {
  private Presets() {}

  /** Every preset whose engine is on the class path. */
  public static List<Preset> installed() {
    return Engines.presets();
  }

  /** The names of {@link #installed()}, for parameterized tests. */
  public static List<String> names() {
    return installed().stream().map(Preset::name).toList();
  }
}
