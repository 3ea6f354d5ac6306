package io.quorate.rabia.core;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.rabia.protocol.Configuration;
import java.util.List;

/**
 * A configuration as one replica sees it.
 *
 * @param self the replica's own place, or -1
 * @param others the other members
 */
record Roster(Configuration configuration, int self, List<NodeId> others) {

  static Roster of(Configuration configuration, NodeId self) {
    List<NodeId> others =
        configuration.members().stream().map(Member::node).filter(n -> !n.equals(self)).toList();
    return new Roster(configuration, configuration.indexOf(self), others);
  }

  boolean includesSelf() {
    return self >= 0;
  }

  NodeId node(int index) {
    return configuration.members().get(index).node();
  }
}
