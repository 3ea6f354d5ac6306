package io.quorate.server.node;

import io.quorate.consensus.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.StartRefusal;
import java.io.IOException;
import java.io.StringReader;
import java.util.Properties;

/**
 * Whose a data directory is.
 *
 * @param formatVersion raised when a new version of the database cannot read an old directory
 */
record DataIdentity(String cluster, String node, String formatVersion) {
  static final String FORMAT_VERSION = "2";

  static DataIdentity current(ClusterId cluster, NodeId node) {
    return new DataIdentity(cluster.value(), node.value(), FORMAT_VERSION);
  }

  /** The text of an identity file. */
  String format() {
    return """
        # Which cluster and node this directory belongs to. Do not edit.
        format=%s
        cluster=%s
        node=%s
        """
        .formatted(formatVersion, cluster, node);
  }

  /** Reads the text of an identity file; what it does not say is empty. */
  static DataIdentity parse(String text) throws IOException {
    Properties properties = new Properties();
    try {
      properties.load(new StringReader(text));
    } catch (IllegalArgumentException e) {
      throw new IOException("its identity file is damaged", e);
    }
    return new DataIdentity(
        properties.getProperty("cluster", ""),
        properties.getProperty("node", ""),
        properties.getProperty("format", ""));
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
  }
}
