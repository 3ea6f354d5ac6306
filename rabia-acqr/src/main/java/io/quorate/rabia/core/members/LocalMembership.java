package io.quorate.rabia.core.members;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.rabia.protocol.Configuration;
import java.util.List;

/**
 * A configuration from the point of view of one replica.
 *
 * @param self the replica's own index among the members, or -1. It is -1 also where the member is a
 *     former replica of the same node, whose votes and proposals this one does not know (S3).
 * @param others the other members
 */
public record LocalMembership(Configuration configuration, int self, List<NodeId> others) {

  /**
   * @param firstEpoch the first epoch in which this replica may be a member
   */
  public static LocalMembership of(Configuration configuration, NodeId self, long firstEpoch) {
    List<NodeId> others =
        configuration.members().stream().map(Member::node).filter(n -> !n.equals(self)).toList();
    int index = configuration.epoch() < firstEpoch ? -1 : configuration.indexOf(self);
    return new LocalMembership(configuration, index, others);
  }

  public boolean includesSelf() {
    return self >= 0;
  }

  public NodeId node(int index) {
    return configuration.members().get(index).node();
  }
}
