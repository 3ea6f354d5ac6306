package io.quorate.server.localcluster;

import io.quorate.common.HostPort;
import io.quorate.model.NodeId;
import java.nio.file.Path;
import java.util.List;

/**
 * One node of a cluster on this machine: its name, its ports on {@link ClusterPlan#HOST}, and its
 * directory, which contains all files of the node.
 *
 * @param host the address that clients and the other nodes connect to; differs from {@link
 *     ClusterPlan#HOST} only if a relay forwards the connections
 */
public record NodePlan(
    NodeId id, String host, int clientPort, int consensusPort, int adminPort, Path directory) {

  /** All ports of the node. */
  public List<Integer> ports() {
    return List.of(clientPort, consensusPort, adminPort);
  }

  /** The configuration file of the node. */
  public Path configFile() {
    return directory.resolve("quorate.conf");
  }

  /** The node's data. */
  public Path dataDirectory() {
    return directory.resolve("data");
  }

  /** The standard output and standard error of the node. */
  public Path logFile() {
    return directory.resolve("server.log");
  }

  /** The file that identifies the process of the node while it runs. */
  public Path processFile() {
    return directory.resolve("process");
  }

  /** Files of the current run only, such as unpacked native libraries. */
  public Path scratchDirectory() {
    return directory.resolve("tmp");
  }

  /** The address of the node for clients, as {@code host:port}. */
  public String clientAddress() {
    return HostPort.text(host, clientPort);
  }

  /** The URL of the node's console, health and metrics. */
  public String adminAddress() {
    return "http://" + HostPort.text(ClusterPlan.HOST, adminPort);
  }
}
