package io.quorate.server.config;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.net.InetSocketAddress;

/**
 * A node of the cluster and its addresses.
 *
 * @param host a name or an address that clients and the other nodes can use
 * @param clientPort the port for clients
 * @param consensusPort the port for the other nodes' engines
 * @param adminPort the port for health and metrics over HTTP
 */
public record ClusterNode(
    NodeId id, String host, int clientPort, int consensusPort, int adminPort) {

  /** The node as a member of consensus groups. */
  public Member member() {
    return new Member(id, InetSocketAddress.createUnresolved(host, consensusPort));
  }
}
