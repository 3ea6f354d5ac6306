package io.quorate.server.config;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.net.InetSocketAddress;
import java.util.List;

/**
 * A node of the cluster and its addresses.
 *
 * @param host a name or an address that clients and the other nodes can use
 * @param clientPort the port for clients
 * @param consensusPort the port for the other nodes' engines
 * @param transportPort the port for what the other nodes' engines send beside their consensus
 *     protocol, if that occupies the consensus port
 * @param adminPort the port for health, metrics and the console over HTTP
 * @param labels its failure domains, the widest first, for example {@code zone=a} and {@code
 *     rack=7}
 */
public record ClusterNode(
    NodeId id,
    String host,
    int clientPort,
    int consensusPort,
    int transportPort,
    int adminPort,
    List<String> labels) {
  public ClusterNode {
    labels = List.copyOf(labels);
  }

  /** Without labels. */
  public ClusterNode(
      NodeId id, String host, int clientPort, int consensusPort, int transportPort, int adminPort) {
    this(id, host, clientPort, consensusPort, transportPort, adminPort, List.of());
  }

  private static final int TRANSPORT_PORT_DISTANCE = 200;

  /** The transport port of a node whose configuration has none. */
  public static int transportPortFor(int consensusPort) {
    return consensusPort + TRANSPORT_PORT_DISTANCE;
  }

  /** The ports of the node. */
  List<Integer> ports() {
    return List.of(clientPort, consensusPort, transportPort, adminPort);
  }

  /** The node as a member of consensus groups. */
  public Member member() {
    return new Member(id, InetSocketAddress.createUnresolved(host, consensusPort));
  }

  /** Where the other nodes connect to {@link #transportPort}. */
  public InetSocketAddress transportAddress() {
    return InetSocketAddress.createUnresolved(host, transportPort);
  }
}
