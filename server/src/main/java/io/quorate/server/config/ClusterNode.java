package io.quorate.server.config;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A node of the cluster and its addresses.
 *
 * @param host a name or an address that clients and the other nodes can use
 * @param clientPort the port for clients
 * @param consensusPort the port for the other nodes' engines
 * @param adminPort the port for health, metrics and the console over HTTP
 * @param labels its failure domains, the widest first, for example {@code zone=a} and {@code
 *     rack=7}
 */
public record ClusterNode(
    NodeId id, String host, int clientPort, int consensusPort, int adminPort, List<String> labels) {
  public ClusterNode {
    labels = List.copyOf(labels);
  }

  /** Without labels. */
  public ClusterNode(NodeId id, String host, int clientPort, int consensusPort, int adminPort) {
    this(id, host, clientPort, consensusPort, adminPort, List.of());
  }

  /** The ports of the node. */
  List<Integer> ports() {
    return List.of(clientPort, consensusPort, adminPort);
  }

  /** The node as a member of consensus groups. */
  public Member member() {
    return new Member(id, InetSocketAddress.createUnresolved(host, consensusPort));
  }
}
