package io.quorate.rabia.core;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Configuration;
import java.util.List;

/**
 * A configuration from the point of view of one replica.
 *
 * @param self the replica's own index among the members, or -1
 * @param others the other members
 */
record LocalMembership(Configuration configuration, int self, List<NodeId> others) {

  static LocalMembership of(Configuration configuration, NodeId self) {
    List<NodeId> others =
        configuration.members().stream().map(Member::node).filter(n -> !n.equals(self)).toList();
    return new LocalMembership(configuration, configuration.indexOf(self), others);
  }

  boolean includesSelf() {
    return self >= 0;
  }

  NodeId node(int index) {
    return configuration.members().get(index).node();
  }
}
