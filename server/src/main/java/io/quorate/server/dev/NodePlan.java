package io.quorate.server.dev;

import io.quorate.consensus.NodeId;
import java.nio.file.Path;

/**
 * One node of a cluster on this machine: its name, its ports on {@link ClusterPlan#HOST}, and its
 * directory, which holds everything the node leaves behind.
 *
 * @param host the address at which clients and the other nodes are told to look for it; another one
 *     than {@link ClusterPlan#HOST} only where something in between passes on what arrives there
 */
public record NodePlan(
    NodeId id, String host, int clientPort, int consensusPort, int adminPort, Path directory) {

  /** The configuration the node is started with. */
  public Path configFile() {
    return directory.resolve("quorate.conf");
  }

  /** The node's data. */
  public Path dataDirectory() {
    return directory.resolve("data");
  }

  /** What the node writes to its standard output and error. */
  public Path logFile() {
    return directory.resolve("server.log");
  }

  /** Which process the node is, while it runs. */
  public Path processFile() {
    return directory.resolve("process");
  }

  /** Files of the present run only, such as unpacked native libraries. */
  public Path scratchDirectory() {
    return directory.resolve("tmp");
  }

  /** Where clients reach the node, as {@code host:port}. */
  public String clientAddress() {
    return host + ":" + clientPort;
  }

  /** Where the node's health and metrics are. */
  public String adminAddress() {
    return "http://" + ClusterPlan.HOST + ":" + adminPort;
  }
}
