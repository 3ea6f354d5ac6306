package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A member of a group.
 *
 * @param node the node of the replica
 * @param address the address on which the node's engine accepts connections of other replicas.
 *     Unresolved, so that each new connection resolves the host name again.
 */
public record Member(NodeId node, InetSocketAddress address) {
  public Member {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(address, "address");
  }
}
