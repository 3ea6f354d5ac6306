package io.quorate.replication.transport.handshake;

import io.quorate.model.NodeId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Determines when a replica may send messages in a group (P1, S3).
 *
 * <p>A node whose disk was emptied has no record of messages it sent before. But before it sent
 * any, f+1 of the group's other members had recorded its earlier disk's identity permanently. At
 * most f-1 of the 2f others have not, so no f+1 of them ever accept a second disk.
 */
public final class FormationQuorum {
  private FormationQuorum() {}

  /**
   * Whether enough of a group's other members have recorded this node's present disk.
   *
   * @param members the members of the group; {@code self} is ignored
   * @param acceptedBy the nodes that have accepted this node's disk, members or not
   */
  public static boolean hasFormed(NodeId self, Collection<NodeId> members, Set<NodeId> acceptedBy) {
    Set<NodeId> others = new HashSet<>(members);
    others.remove(self);
    int faults = others.size() / 2;
    int needed = Math.min(faults + 1, others.size());
    return others.stream().filter(acceptedBy::contains).count() >= needed;
  }
}
