package io.quorate.consensus.example;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.Member;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The log of one group. It takes the place of consensus: what is appended is committed, as long as
 * a majority of the replicas is open. It survives the end of nodes, and not that of the JVM. Any
 * thread; nothing blocks for long.
 */
final class SharedLog {
  /** Entries that every open replica has durably, and that are kept for those that are behind. */
  private static final int RETAINED = 16;

  private static final long EPOCH = 1;

  private static final ConcurrentMap<Name, SharedLog> LOGS = new ConcurrentHashMap<>();

  private record Name(UUID cluster, GroupId group) {}

  private final List<Member> members;

  /** Guarded by this, as are all fields below. */
  private final ArrayDeque<ByteBuffer> entries = new ArrayDeque<>();

  private final Map<NodeId, ExampleGroup> open = new HashMap<>();
  private final Set<NodeId> removed = new HashSet<>();

  /** The index of the first entry that is kept. */
  private long first;

  private SharedLog(List<Member> members) {
    this.members = members;
  }

  static SharedLog of(GroupSpec spec) {
    return LOGS.computeIfAbsent(
        new Name(spec.cluster(), spec.group()), name -> new SharedLog(spec.members()));
  }

  /** The replica of a node is gone; the log goes with the last one. */
  static void remove(UUID cluster, GroupId group, NodeId node) {
    LOGS.computeIfPresent(new Name(cluster, group), (name, log) -> log.isLast(node) ? null : log);
  }

  private synchronized boolean isLast(NodeId node) {
    removed.add(node);
    return members.stream().map(Member::node).allMatch(removed::contains);
  }

  List<Member> members() {
    return members;
  }

  synchronized void opened(NodeId node, ExampleGroup group) {
    open.put(node, group);
  }

  synchronized void closed(NodeId node) {
    open.remove(node);
  }

  synchronized boolean hasMajority() {
    return 2 * open.size() > members.size();
  }

  private void requireMajority() {
    if (!hasMajority()) {
      throw new ConsensusException.Unavailable("No majority of the replicas is open.");
    }
  }

  /**
   * Commits a command.
   *
   * @throws ConsensusException.Unavailable if there is no majority; nothing happened
   */
  synchronized Position append(ByteBuffer command) {
    requireMajority();
    ByteBuffer copy = ByteBuffer.allocate(command.remaining()).put(command.duplicate()).flip();
    entries.add(copy.asReadOnlyBuffer());
    truncate();
    return last();
  }

  /** Drops what every open replica has durably. */
  private void truncate() {
    long durable =
        open.values().stream().mapToLong(group -> group.durable().index()).min().orElse(-1);
    while (entries.size() > RETAINED && first <= durable) {
      entries.remove();
      first++;
    }
  }

  /** The position of the last entry. */
  synchronized Position last() {
    long index = first + entries.size() - 1;
    return index < 0 ? Position.NONE : position(index);
  }

  /**
   * The position that a linearizable read has to wait for.
   *
   * @throws ConsensusException.Unavailable if there is no majority
   */
  synchronized Position confirmed() {
    requireMajority();
    return last();
  }

  static Position position(long index) {
    return new Position(EPOCH, index);
  }

  /** The entries from an index on; empty if the first of them is no longer kept. */
  synchronized Optional<List<ByteBuffer>> from(long index) {
    if (index < first) {
      return Optional.empty();
    }
    List<ByteBuffer> rest = new ArrayList<>();
    Iterator<ByteBuffer> all = entries.iterator();
    for (long i = first; all.hasNext(); i++) {
      ByteBuffer entry = all.next();
      if (i >= index) {
        rest.add(entry);
      }
    }
    return Optional.of(rest);
  }

  /** A replica that can export what another one lacks. */
  synchronized Optional<ExampleGroup> other(ExampleGroup than) {
    return open.values().stream().filter(group -> group != than).findFirst();
  }

  /** Lets every open replica deliver what was appended. */
  void announce() {
    List<ExampleGroup> groups;
    synchronized (this) {
      groups = List.copyOf(open.values());
    }
    groups.forEach(ExampleGroup::deliverSoon);
  }
}
