package io.quorate.rabia.protocol;

import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.model.NodeId;
import java.util.List;

/**
 * The members that decide the slots from {@code start} on, until the next configuration starts.
 *
 * @param epoch the number of the configuration, from 1; 0 at a replica that does not know any
 *     configuration yet
 * @param start the first slot that these members decide
 * @param members the members in the order of ownership; 1 to {@link #MEMBERS_MAX}
 */
public record Configuration(long epoch, long start, List<Member> members) {
  public static final int MEMBERS_MAX = 7;

  /** More than there are configurations by one change, which may be repeated. */
  private static final long EPOCHS_PER_CHANGE = 1_000_000;

  public Configuration {
    members = List.copyOf(members);
    if (!isPossible(members)) {
      throw new IllegalArgumentException(
          "A configuration has 1 to " + MEMBERS_MAX + " different members: " + members);
    }
  }

  /** The first configuration of a group. */
  public static Configuration first(List<Member> members) {
    return new Configuration(1, 0, members);
  }

  /**
   * The first epoch of the configurations by a change, so that the epoch of a configuration shows
   * by which change it was made, or that it was made by an earlier one.
   *
   * @param number the number of the change; 0 for the first configuration
   */
  public static long firstEpoch(long number) {
    return Math.multiplyExact(number, EPOCHS_PER_CHANGE);
  }

  /** Whether these members can form a configuration. */
  public static boolean isPossible(List<Member> members) {
    return !members.isEmpty()
        && members.size() <= MEMBERS_MAX
        && members.stream().map(Member::node).distinct().count() == members.size();
  }

  /** Whether a single change turns these members into {@code next}. */
  public boolean isOneChange(List<Member> next) {
    return Membership.isOneChange(nodes(members), nodes(next));
  }

  private static List<NodeId> nodes(List<Member> members) {
    return members.stream().map(Member::node).toList();
  }

  /** n: the number of members. */
  public int size() {
    return members.size();
  }

  /** f: the number of members that may fail. */
  public int faults() {
    return (size() - 1) / 2;
  }

  /** q = n - f: the number of messages that complete a round. */
  public int quorum() {
    return size() - faults();
  }

  /** More than half of the members. */
  public int majority() {
    return size() / 2 + 1;
  }

  /** The index of a node among the members, or -1. */
  public int indexOf(NodeId node) {
    for (int i = 0; i < members.size(); i++) {
      if (members.get(i).node().equals(node)) {
        return i;
      }
    }
    return -1;
  }

  public boolean contains(NodeId node) {
    return indexOf(node) >= 0;
  }

  /** The owner of a slot of this configuration, where slots are owned (O1). */
  public NodeId owner(long slot) {
    return members.get((int) (slot % size())).node();
  }
}
