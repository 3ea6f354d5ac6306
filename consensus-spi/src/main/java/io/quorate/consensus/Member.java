package io.quorate.consensus;

import java.net.InetSocketAddress;
import java.util.Objects;

/**
 * A replica of a group and where its engine listens for the other replicas.
 *
 * @param address unresolved, so that it may be looked up again when a host moves
 */
public record Member(NodeId node, InetSocketAddress address) {
  public Member {
    Objects.requireNonNull(node, "node");
    Objects.requireNonNull(address, "address");
  }
}
