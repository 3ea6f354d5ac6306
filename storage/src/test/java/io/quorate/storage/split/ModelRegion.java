package io.quorate.storage.split;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The state of a region at one replica: keys are numbers, and every write adds 1. */
final class ModelRegion {
  /** A command in the log of a group. */
  sealed interface Command {
    /** Adds 1 to a key. */
    record Add(int client, long sequence, long floor, int key) implements Command {}

    /** Gives the keys from one on to a child. */
    record Split(int at, int child) implements Command {}

    /** Removes the sessions that were last active before an index. */
    record Expire(int before) implements Command {}
  }

  /** What a command did. */
  enum Outcome {
    EXECUTED,
    REPEATED,
    FORGOTTEN,
    BEYOND_WINDOW,
    OUT_OF_RANGE,
    DONE
  }

  private static final class Session {
    final List<Long> results = new ArrayList<>();
    long floor;
    int lastActive;

    /** The last index of this region at which the client was active. */
    int truth;

    Session copy() {
      Session copy = new Session();
      copy.results.addAll(results);
      copy.floor = floor;
      copy.lastActive = lastActive;
      copy.truth = truth;
      return copy;
    }
  }

  final int id;
  final TreeMap<Integer, Integer> rows = new TreeMap<>();
  private final Map<Integer, Session> sessions = new TreeMap<>();
  int from;
  int to;
  int applied = -1;

  ModelRegion(int id, int from, int to) {
    this.id = id;
    this.from = from;
    this.to = to;
  }

  ModelRegion copy() {
    ModelRegion copy = new ModelRegion(id, from, to);
    copy.applied = applied;
    copy.rows.putAll(rows);
    sessions.forEach((client, session) -> copy.sessions.put(client, session.copy()));
    return copy;
  }

  /** Applies the next command. */
  Outcome apply(Command command, Optional<SplitMutation> mutation) {
    applied++;
    if (command instanceof Command.Add add) {
      return add(add, is(mutation, SplitMutation.RANGE_CHECK_AFTER_SESSION));
    } else if (command instanceof Command.Expire expire) {
      sessions.values().removeIf(session -> session.lastActive < expire.before());
    } else if (command instanceof Command.Split split && has(split.at()) && split.at() != from) {
      to = split.at();
      rows.tailMap(to, true).clear();
    }
    return Outcome.DONE;
  }

  /** The child of a split that this region is about to apply; empty if it has no effect. */
  Optional<ModelRegion> childOf(Command.Split split, Optional<SplitMutation> mutation) {
    if (!has(split.at()) || split.at() == from) {
      return Optional.empty();
    }
    ModelRegion child = new ModelRegion(split.child(), split.at(), to);
    child.rows.putAll(rows.tailMap(split.at(), true));
    if (!is(mutation, SplitMutation.SESSION_NOT_COPIED)) {
      sessions.forEach((client, session) -> child.sessions.put(client, copied(session, mutation)));
    }
    return Optional.of(child);
  }

  private static Session copied(Session session, Optional<SplitMutation> mutation) {
    Session copy = session.copy();
    copy.truth = -1;
    if (!is(mutation, SplitMutation.LAST_ACTIVE_COPIED)) {
      copy.lastActive = -1;
    }
    if (is(mutation, SplitMutation.MIN_FLOOR)) {
      copy.floor = 0;
    }
    return copy;
  }

  private static boolean is(Optional<SplitMutation> mutation, SplitMutation expected) {
    return mutation.equals(Optional.of(expected));
  }

  private boolean has(int key) {
    return key >= from && key < to;
  }

  private Outcome add(Command.Add add, boolean isSessionFirst) {
    if (!isSessionFirst && !has(add.key())) {
      return Outcome.OUT_OF_RANGE;
    }
    Session session = sessions.computeIfAbsent(add.client(), any -> begin(add));
    session.lastActive = applied;
    session.truth = applied;
    if (add.sequence() < session.floor) {
      return Outcome.FORGOTTEN;
    }
    session.floor = Math.max(session.floor, add.floor());
    session.results.removeIf(sequence -> sequence < session.floor);
    if (session.results.contains(add.sequence())) {
      return has(add.key()) ? Outcome.REPEATED : Outcome.OUT_OF_RANGE;
    }
    if (session.results.size() >= ModelClient.WINDOW) {
      return Outcome.BEYOND_WINDOW;
    }
    session.results.add(add.sequence());
    if (!has(add.key())) {
      return Outcome.OUT_OF_RANGE;
    }
    rows.merge(add.key(), 1, Integer::sum);
    return Outcome.EXECUTED;
  }

  private static Session begin(Command.Add add) {
    Session session = new Session();
    session.floor = add.floor();
    return session;
  }

  /** The clients that were not active here from an index on. */
  List<Integer> inactiveSince(int index) {
    return sessions.entrySet().stream()
        .filter(each -> each.getValue().truth < index)
        .map(Map.Entry::getKey)
        .toList();
  }
}
