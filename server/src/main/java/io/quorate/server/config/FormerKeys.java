package io.quorate.server.config;

import com.typesafe.config.Config;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sections and values of the release before that have another name now. They are read for one more
 * release, with a warning in the log.
 */
final class FormerKeys {
  private static final Logger LOG = LoggerFactory.getLogger(FormerKeys.class);
  private static final Map<String, String> SECTIONS = Map.of("quorate.door", "quorate.rpc");
  private static final String PRESET = "quorate.preset";

  private FormerKeys() {}

  /**
   * Returns the configuration under present names.
   *
   * @throws ConfigException if a section is there under both names
   */
  static Config renamed(Config config) {
    Config result = config;
    for (Map.Entry<String, String> section : SECTIONS.entrySet()) {
      String former = section.getKey();
      String present = section.getValue();
      if (result.hasPath(former) && result.hasPath(present)) {
        throw new ConfigException(
            former + " is the former name of " + present + "; use the latter alone.");
      } else if (result.hasPath(former)) {
        warn(former, present);
        result = result.withValue(present, result.getValue(former)).withoutPath(former);
      }
    }
    warnOfPreset(result);
    return result;
  }

  /** {@link Preset#named} finds a preset by its former name, too. */
  private static void warnOfPreset(Config config) {
    String name = config.hasPath(PRESET) ? config.getAnyRef(PRESET).toString() : "";
    if (Preset.FORMER_NAMES.containsKey(name)) {
      warn("preset " + name, "preset " + Preset.FORMER_NAMES.get(name));
    }
  }

  private static void warn(String former, String present) {
    LOG.atWarn()
        .addKeyValue("former", former)
        .addKeyValue("present", present)
        .log("The configuration has a name of the release before, which the next will not accept");
  }
}
