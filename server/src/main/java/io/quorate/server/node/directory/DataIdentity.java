package io.quorate.server.node.directory;

import io.quorate.consensus.Capabilities;
import io.quorate.server.config.ClusterMode;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.StartupException;
import java.io.IOException;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The cluster and the node that a data directory belongs to, and the settings that are fixed for
 * its lifetime.
 *
 * @param formatVersion incremented when a new version of the database cannot read an old directory
 * @param choices the settings, by key, that the files depend on: with another engine, for example,
 *     the writes in the log of the first one would be lost without a warning
 * @param disk a random number that the directory has received when it was created, so that an empty
 *     one is not mistaken for it; empty in the identity that a configuration implies
 */
public record DataIdentity(
    String cluster,
    String node,
    String formatVersion,
    Map<String, String> choices,
    Optional<UUID> disk) {
  /** The format that this version of the server reads and writes. */
  public static final String FORMAT = "7";

  private static final String ENGINE = "engine";
  private static final String REPLICATION = "replication";
  private static final String DISK = "disk";

  /** A choice that is absent if the log is in the data directory. */
  private static final String LOG = "log";

  private static final String SEPARATE = "separate";

  public DataIdentity {
    choices = Map.copyOf(choices);
  }

  /** Without a disk. */
  public DataIdentity(
      String cluster, String node, String formatVersion, Map<String, String> choices) {
    this(cluster, node, formatVersion, choices, Optional.empty());
  }

  /** The identity that a directory must have, or receives, under this configuration. */
  public static DataIdentity of(ServerConfig config, Capabilities engine) {
    ClusterMode mode = config.mode();
    Map<String, String> choices = new LinkedHashMap<>();
    choices.put(ENGINE, mode.engine());
    choices.put(REPLICATION, ClusterMode.text(mode.replication()));
    if (config.node().log().isPresent()) {
      choices.put(LOG, SEPARATE);
    }
    engine.lastingSettings().forEach((key, value) -> choices.put(mode.engine() + "." + key, value));
    return new DataIdentity(
        config.cluster().id().value(), config.node().id().value(), FORMAT, choices);
  }

  /** The identity with a disk. */
  DataIdentity on(UUID newDisk) {
    return new DataIdentity(cluster, node, formatVersion, choices, Optional.of(newDisk));
  }

  /** The text of an identity file. */
  String format() {
    StringBuilder text =
        new StringBuilder(
            String.format(
                Locale.ROOT,
                """
            # Which cluster and node this directory belongs to, and what its files depend on. Do not edit.
            format=%s
            cluster=%s
            node=%s
            """,
                formatVersion,
                cluster,
                node));
    new TreeMap<>(choices)
        .forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    disk.ifPresent(id -> text.append(DISK).append('=').append(id).append('\n'));
    return text.toString();
  }

  /**
   * Parses the text of an identity file. In a format that this version does not read, missing
   * entries are empty.
   *
   * @throws IOException if it is not as it was written; the message is a phrase that says why
   */
  static DataIdentity parse(String text) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text));
    } catch (IllegalArgumentException e) {
      throw new IOException("it has a character that cannot be read", e);
    }
    require(properties, "format");
    if (FORMAT.equals(properties.getProperty("format"))) {
      require(properties, "cluster");
      require(properties, "node");
      require(properties, DISK);
    }
    Map<String, String> rest = new LinkedHashMap<>();
    properties.stringPropertyNames().forEach(key -> rest.put(key, properties.getProperty(key)));
    String cluster = removeOrEmpty(rest, "cluster");
    String node = removeOrEmpty(rest, "node");
    String format = removeOrEmpty(rest, "format");
    return new DataIdentity(cluster, node, format, rest, disk(removeOrEmpty(rest, DISK)));
  }

  private static void require(Properties properties, String key) throws IOException {
    if (properties.getProperty(key, "").isEmpty()) {
      throw new IOException("it has no " + key);
    }
  }

  private static Optional<UUID> disk(String text) throws IOException {
    try {
      return text.isEmpty() ? Optional.empty() : Optional.of(UUID.fromString(text));
    } catch (IllegalArgumentException e) {
      throw new IOException("its disk is no identity", e);
    }
  }

  private static String removeOrEmpty(Map<String, String> properties, String key) {
    String value = properties.remove(key);
    return value == null ? "" : value;
  }

  /**
   * @param directory name of the directory in messages
   * @throws StartupException if {@code found} differs from this identity
   */
  void requireSame(DataIdentity found, String directory) {
    if (!found.formatVersion.equals(FORMAT)) {
      throw ofOtherFormat(found, directory);
    }
    if (!found.cluster.equals(cluster)) {
      throw new StartupException(
          String.format(
              Locale.ROOT,
              "%s belongs to cluster \"%s\", and cluster.id is \"%s\".",
              directory,
              found.cluster,
              cluster));
    }
    if (!found.node.equals(node)) {
      throw new StartupException(
          String.format(
              Locale.ROOT,
              "%s belongs to node \"%s\", and node.id is \"%s\".",
              directory,
              found.node,
              node));
    }
    requireSameChoice(found, ENGINE, directory);
    if (!found.formatVersion.equals(formatVersion)) {
      throw ofOtherFormat(found, directory);
    }
    requireSameLog(found, directory);
    TreeSet<String> keys = new TreeSet<>(choices.keySet());
    keys.addAll(found.choices.keySet());
    keys.forEach(key -> requireSameChoice(found, key, directory));
  }

  private StartupException ofOtherFormat(DataIdentity found, String directory) {
    return new StartupException(
        String.format(
            Locale.ROOT,
            "%s has format \"%s\", and this version of the server reads format %s only. Start the"
                + " version that wrote it, and copy the rows to a new cluster whose directories are"
                + " empty.",
            directory,
            found.formatVersion,
            formatVersion));
  }

  private void requireSameLog(DataIdentity found, String directory) {
    if (choices.containsKey(LOG) && !found.choices.containsKey(LOG)) {
      throw new StartupException(
          directory + " contains its log; remove node.log from the configuration.");
    }
    if (!choices.containsKey(LOG) && found.choices.containsKey(LOG)) {
      throw new StartupException(
          directory + " has its log in another directory; name that one by node.log.");
    }
  }

  private void requireSameChoice(DataIdentity found, String key, String directory) {
    String stored = found.choices.getOrDefault(key, "");
    String configured = choices.getOrDefault(key, "");
    if (!stored.equals(configured)) {
      throw new StartupException(
          String.format(
              Locale.ROOT,
              "%s was made with %s = \"%s\", and the configuration has \"%s\". Its files cannot be read"
                  + " with that setting: change the configuration back, or copy the rows to a new"
                  + " cluster whose directories are empty.",
              directory,
              key,
              stored,
              configured));
    }
  }
}
