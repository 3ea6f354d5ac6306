package io.quorate.rabia.protocol;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import java.util.List;
import java.util.stream.Stream;

/**
 * Who decides the slots from {@code start} on, until the next configuration starts.
 *
 * @param epoch counts configurations, from 1; 0 is that of a replica which does not know any yet
 * @param start the first slot that these members decide
 * @param members in the order of ownership; 1 to {@link #MEMBERS_MAX}
 */
public record Configuration(long epoch, long start, List<Member> members) {
  public static final int MEMBERS_MAX = 7;

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

  /** Whether these could be the members of a configuration. */
  public static boolean isPossible(List<Member> members) {
    return !members.isEmpty()
        && members.size() <= MEMBERS_MAX
        && members.stream().map(Member::node).distinct().count() == members.size();
  }

  /**
   * Whether one change leads from these members to others: one is added, removed or replaced. Two
   * quorums of consecutive configurations then have a member in common, and at most one member that
   * holds nothing is added at a time.
   */
  public boolean isStep(List<Member> next) {
    long removed = members.stream().filter(m -> nodes(next).noneMatch(m.node()::equals)).count();
    long added = next.stream().filter(member -> !contains(member.node())).count();
    return removed <= 1 && added <= 1;
  }

  private static Stream<NodeId> nodes(List<Member> members) {
    return members.stream().map(Member::node);
  }

  /** n. */
  public int size() {
    return members.size();
  }

  /** f: how many members may fail. */
  public int faults() {
    return (size() - 1) / 2;
  }

  /** q = n - f: how many messages end a round. */
  public int quorum() {
    return size() - faults();
  }

  /** More than half of the members. */
  public int majority() {
    return size() / 2 + 1;
  }

  /** The place of a node among the members, or -1. */
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

  /** Whose batch a slot of this configuration is for, when slots are owned. */
  public NodeId owner(long slot) {
    return members.get((int) (slot % size())).node();
  }
}
