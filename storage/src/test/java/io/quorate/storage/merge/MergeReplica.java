package io.quorate.storage.merge;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.session.EncodedResults;
import io.quorate.storage.session.MovedSession;
import io.quorate.storage.session.Session;
import io.quorate.storage.session.SessionFence;
import io.quorate.storage.session.SessionRows;
import io.quorate.storage.session.SessionTable;
import io.quorate.storage.split.ModelClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;

/** The state of a region at one replica, except its rows, which are among those of its node. */
final class MergeReplica {
  /** A child inherits the sessions of two clients, or of more that were active at one position. */
  private static final int CLIENTS_MAX = 16;

  private static final int RESULTS_MAX = 1 << 10;
  private static final int ENDED_MAX = 1;

  final GroupId region;
  private final boolean inheritsAll;
  private final Optional<MergeMutation> mutation;
  private SessionTable sessions;
  RegionShape shape;

  /** The index up to which the log is applied. */
  int applied = -1;

  /**
   * @param inheritsAll whether a child inherits the sessions of all clients
   */
  MergeReplica(
      GroupId region, RegionShape shape, boolean inheritsAll, Optional<MergeMutation> mutation) {
    this.region = region;
    this.shape = shape;
    this.inheritsAll = inheritsAll;
    this.mutation = mutation;
    this.sessions = table();
  }

  private SessionTable table() {
    return new SessionTable(
        region,
        ModelClient.WINDOW,
        inheritsAll ? SessionTable.CLIENTS_MAX : CLIENTS_MAX,
        RESULTS_MAX,
        ENDED_MAX,
        SessionTable.OwnRows.UNWRITTEN);
  }

  MergeReplica copy() {
    MergeReplica copy = new MergeReplica(region, shape, inheritsAll, mutation);
    copy.applied = applied;
    copySessionsTo(copy);
    return copy;
  }

  /** Copies sessions and fence to a later state, or to a child. */
  void copySessionsTo(MergeReplica other) {
    boolean isChild = !other.region.equals(region);
    SessionTable.Inheritance inheritance =
        isChild
            ? sessions.inheritance(other.region)
            : new SessionTable.Inheritance(sessions.sessions(), sessions.fence());
    if (isChild && is(MergeMutation.NOT_INHERITED_NOT_FENCED)) {
      other.sessions.fence(sessions.fence().ofChild(other.region));
    } else if (!isChild || !is(MergeMutation.FENCE_NOT_INHERITED)) {
      other.sessions.fence(inheritance.fence());
    }
    inheritance
        .sessions()
        .forEach((client, session) -> other.sessions.add(client, withFloor(session, 0)));
  }

  /** A copy, with a floor that is lower if the given one is greater than 0. */
  private static Session withFloor(Session session, long lower) {
    Session floored = session;
    try {
      byte[] row = row(session);
      floored = SessionRows.decode(row);
      if (lower > 0 && lower < session.floor() && !session.hasEnded()) {
        // The encoding of the results depends on the floor.
        floored.results().clear();
        row = row(floored);
        ByteBuffer.wrap(row).putLong(1 + Position.BYTES, lower);
        floored = SessionRows.decode(row);
        floored.results().putAll(session.results());
      }
      return floored;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] row(Session session) {
    ByteBuffer encoded = SessionRows.encode(session);
    byte[] row = new byte[encoded.remaining()];
    encoded.get(row);
    return row;
  }

  /** Applies an increment at the next index. */
  Outcome increment(RequestId tag, Operation.Increment increment, Map<Key, Long> rows) {
    boolean hasKey = shape.hasKeysOf(increment);
    boolean isSessionFirst = is(MergeMutation.RANGE_CHECK_AFTER_SESSION);
    if (!hasKey && !isSessionFirst) {
      return Outcome.OUT_OF_RANGE;
    }
    Outcome outcome =
        switch (sessions.arrived(tag, new Position(1, applied + 1))) {
          case TAKES_EFFECT -> Outcome.EXECUTED;
          case REPEATED -> Outcome.REPEATED;
          case FORGOTTEN -> Outcome.FORGOTTEN;
          case BEYOND_WINDOW -> Outcome.BEYOND_WINDOW;
          case OUTDATED -> Outcome.OUTDATED;
        };
    if (outcome == Outcome.EXECUTED) {
      sessions.remember(tag, EncodedResults.DONE);
      if (hasKey) {
        rows.merge(increment.key(), increment.delta(), Long::sum);
      }
    }
    return hasKey ? outcome : Outcome.OUT_OF_RANGE;
  }

  /** Applies an expiry of sessions at the next index. */
  Outcome expire(Operation.ExpireSessions expire) {
    if (!shape.hasKeysOf(expire)) {
      return Outcome.OUT_OF_RANGE;
    }
    SessionFence before = sessions.fence();
    sessions.expire(expire.before());
    if (is(MergeMutation.FENCE_NOT_RAISED)) {
      sessions.fence(before);
    }
    return Outcome.EXPIRED;
  }

  /** Ends the session of a client at the next index. */
  Outcome end(ClientCommand command) {
    if (!shape.hasKeysOf(command.operation())) {
      return Outcome.OUT_OF_RANGE;
    }
    if (is(MergeMutation.ENDED_FORGOTTEN)) {
      SessionTable without = table();
      without.fence(sessions.fence());
      sessions
          .sessions()
          .forEach(
              (client, session) -> {
                if (!client.equals(command.tag().client())) {
                  without.add(client, session);
                }
              });
      sessions = without;
    } else {
      sessions.end(command.tag().client());
    }
    return Outcome.EXPIRED;
  }

  private boolean is(MergeMutation expected) {
    return mutation.equals(Optional.of(expected));
  }

  boolean isFrozenBy(GroupId merge) {
    return shape.isFrozen() && shape.newestChange().equals(merge);
  }

  /** The rows and sessions. */
  AbsorbedState contents(NavigableMap<Key, Long> rows) {
    List<AbsorbedState.Row> present =
        ModelKeys.in(rows, shape.range()).entrySet().stream()
            .map(row -> new AbsorbedState.Row(row.getKey(), value(row.getValue())))
            .toList();
    List<MovedSession> moved =
        sessions.sessions().entrySet().stream()
            .sorted(Comparator.comparing(each -> each.getKey().low()))
            .map(each -> moved(each.getKey(), each.getValue()))
            .toList();
    return new AbsorbedState(present, sessions.fence(), moved);
  }

  private static ByteBuffer value(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).flip();
  }

  private static MovedSession moved(ClientId client, Session session) {
    return new MovedSession(client, session.floor(), session.results());
  }

  /** Adds the sessions of a region that is absorbed at the next index. */
  void absorbSessions(AbsorbedState state) {
    List<MovedSession> moved = state.sessions();
    if (!is(MergeMutation.FENCE_NOT_ABSORBED)) {
      sessions.absorb(state.fence(), new Position(1, applied + 1));
    }
    if (is(MergeMutation.SESSIONS_NOT_ABSORBED)) {
      return;
    }
    for (MovedSession each : moved) {
      Optional<Long> former = sessions.session(each.client()).map(Session::floor);
      sessions.absorb(each, new Position(1, applied + 1));
      if (is(MergeMutation.LOWER_FLOOR)) {
        lowerFloor(each.client(), Math.min(each.floor(), former.orElse(each.floor())));
      }
    }
  }

  private void lowerFloor(ClientId client, long floor) {
    SessionTable lowered = table();
    lowered.fence(sessions.fence());
    sessions
        .sessions()
        .forEach(
            (each, session) ->
                lowered.add(each, withFloor(session, each.equals(client) ? floor : 0)));
    sessions = lowered;
  }
}
