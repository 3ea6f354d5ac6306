package io.quorate.server.node;

import io.quorate.consensus.Capabilities;
import io.quorate.server.config.Knobs;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartRefusal;
import java.io.IOException;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Whose a data directory is, and what was chosen for as long as it exists.
 *
 * @param formatVersion raised when a new version of the database cannot read an old directory
 * @param choices the settings, by key, that its files depend on: with another engine, for one, the
 *     writes in the log of the first would be lost without a warning
 */
record DataIdentity(
    String cluster, String node, String formatVersion, Map<String, String> choices) {
  static final String FORMAT_VERSION = "3";

  private static final String ENGINE = "engine";
  private static final String REPLICATION = "replication";

  DataIdentity {
    choices = Map.copyOf(choices);
  }

  /** The identity that a directory needs or gets under this configuration. */
  static DataIdentity of(ServerConfig config, Capabilities engine) {
    Knobs knobs = config.knobs();
    Map<String, String> choices = new LinkedHashMap<>();
    choices.put(ENGINE, knobs.engine());
    choices.put(REPLICATION, Knobs.text(knobs.replication()));
    engine
        .lastingSettings()
        .forEach((key, value) -> choices.put(knobs.engine() + "." + key, value));
    return new DataIdentity(
        config.cluster().id().value(), config.node().id().value(), FORMAT_VERSION, choices);
  }

  /** The text of an identity file. */
  String format() {
    StringBuilder text =
        new StringBuilder(
            """
            # Which cluster and node this directory belongs to, and what its files depend on. Do not edit.
            format=%s
            cluster=%s
            node=%s
            """
                .formatted(formatVersion, cluster, node));
    new TreeMap<>(choices)
        .forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    return text.toString();
  }

  /** Reads the text of an identity file; what it does not have is empty. */
  static DataIdentity parse(String text) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text));
    } catch (IllegalArgumentException e) {
      throw new IOException("its identity file is damaged", e);
    }
    Map<String, String> rest = new LinkedHashMap<>();
    properties.stringPropertyNames().forEach(key -> rest.put(key, properties.getProperty(key)));
    String cluster = taken(rest, "cluster");
    String node = taken(rest, "node");
    return new DataIdentity(cluster, node, taken(rest, "format"), rest);
  }

  private static String taken(Map<String, String> properties, String key) {
    String value = properties.remove(key);
    return value == null ? "" : value;
  }

  /**
   * @param directory how the directory is called in messages
   * @throws StartRefusal if {@code found} is another identity than this one
   */
  void requireSame(DataIdentity found, String directory) {
    if (!found.formatVersion.equals(formatVersion)) {
      throw new StartRefusal(
          "%s has format \"%s\", and this version of the server reads format %s only."
              .formatted(directory, found.formatVersion, formatVersion));
    }
    if (!found.cluster.equals(cluster)) {
      throw new StartRefusal(
          "%s belongs to cluster \"%s\", and cluster.id is \"%s\"."
              .formatted(directory, found.cluster, cluster));
    }
    if (!found.node.equals(node)) {
      throw new StartRefusal(
          "%s belongs to node \"%s\", and node.id is \"%s\"."
              .formatted(directory, found.node, node));
    }
    requireSameChoice(found, ENGINE, directory);
    TreeSet<String> keys = new TreeSet<>(choices.keySet());
    keys.addAll(found.choices.keySet());
    keys.forEach(key -> requireSameChoice(found, key, directory));
  }

  private void requireSameChoice(DataIdentity found, String key, String directory) {
    String made = found.choices.getOrDefault(key, "");
    String configured = choices.getOrDefault(key, "");
    if (!made.equals(configured)) {
      throw new StartRefusal(
          ("%s was made with %s = \"%s\", and the configuration has \"%s\". Its files cannot be read"
                  + " so: change the configuration back, or copy the rows to a new cluster whose"
                  + " directories are empty.")
              .formatted(directory, key, made, configured));
    }
  }
}
