package io.quorate.server.config;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.net.InetSocketAddress;

/**
 * A node of the cluster and where it is reached.
 *
 * @param host a name or an address that clients and the other nodes can use
 * @param clientPort where clients connect
 * @param consensusPort where the other nodes' engines connect
 * @param adminPort where health and metrics are served over HTTP
 */
public record NodeAddress(
    NodeId id, String host, int clientPort, int consensusPort, int adminPort) {

  /** The node as engines know it. */
  public Member member() {
    return new Member(id, InetSocketAddress.createUnresolved(host, consensusPort));
  }
}
