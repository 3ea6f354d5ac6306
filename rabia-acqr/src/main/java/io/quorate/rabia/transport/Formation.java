package io.quorate.rabia.transport;

import io.quorate.consensus.NodeId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * When a replica may speak in a group (P1, S3).
 *
 * <p>A node whose disk was emptied does not know that it spoke before. But before it did, f+1 of
 * the group's other members had written its earlier disk's identity down, for good. At most f-1 of
 * the 2f others have not, so no f+1 of them ever accept a second one.
 */
public final class Formation {
  private Formation() {}

  /**
   * Whether enough of a group's other members know this node by its present disk.
   *
   * @param members those of the group; whether {@code self} is among them makes no difference
   * @param acceptedBy who has accepted this node's disk, members or not
   */
  public static boolean hasFormed(NodeId self, Collection<NodeId> members, Set<NodeId> acceptedBy) {
    Set<NodeId> others = new HashSet<>(members);
    others.remove(self);
    int faults = others.size() / 2;
    int needed = Math.min(faults + 1, others.size());
    return others.stream().filter(acceptedBy::contains).count() >= needed;
  }
}
