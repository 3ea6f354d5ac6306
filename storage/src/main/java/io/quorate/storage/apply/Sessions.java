package io.quorate.storage.apply;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.NativeScope;
import io.quorate.storage.session.EncodedResults;
import io.quorate.storage.session.MovedSession;
import io.quorate.storage.session.Session;
import io.quorate.storage.session.SessionFence;
import io.quorate.storage.session.SessionRows;
import io.quorate.storage.session.SessionTable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;

/**
 * The client sessions of one region with their rows: in memory, except long results. Changes since
 * the last write go into the same batch as the data. One thread at a time. {@link SessionTable}
 * decides the outcome of a request.
 */
final class Sessions {
  private record ResultId(ClientId client, long sequence) {}

  private final Database database;
  private final GroupId region;
  private final int window;
  private final SessionTable table;
  private final Set<ClientId> changed = new HashSet<>();

  /** Rows of long results to be written; an empty value removes the row. */
  private final Map<ResultId, Optional<byte[]>> changedResults = new LinkedHashMap<>();

  /** As last written. */
  private SessionFence writtenFence;

  private Sessions(Database database, GroupId region, int window) {
    this.database = database;
    this.region = region;
    this.window = window;
    this.table = new SessionTable(region, window, new RemovedRows());
    this.writtenFence = table.fence();
  }

  private final class RemovedRows implements SessionTable.OwnRows {
    @Override
    public void dropped(ClientId client, long sequence) {
      changedResults.put(new ResultId(client, sequence), Optional.empty());
    }

    @Override
    public void removed(ClientId client) {
      changed.add(client);
    }
  }

  /** Loads the sessions as last written. */
  static Sessions load(Database database, GroupId region, int window) throws IOException {
    Sessions loaded = new Sessions(database, region, window);
    fill(loaded.table, database, region);
    loaded.writtenFence = loaded.table.fence();
    return loaded;
  }

  /** Adds the sessions as last written to a table. */
  static void fill(SessionTable table, Database database, GroupId region) throws IOException {
    try (NativeScope scope = database.child("sessions")) {
      Database.Cursor cursor =
          database.cursor(
              scope,
              Family.SESSIONS,
              SessionRows.regionStart(region),
              Optional.of(SessionRows.sessionsEnd(region)),
              Optional.empty());
      for (; cursor.isAtRow(); cursor.next()) {
        table.add(SessionRows.client(cursor.key()), SessionRows.decode(cursor.value()));
      }
    }
    table.fence(writtenFence(database, region));
  }

  private static SessionFence writtenFence(Database database, GroupId region) throws IOException {
    return SessionFence.ofRow(region, database.get(Family.SESSIONS, SessionRows.fenceKey(region)));
  }

  int count() {
    return table.count();
  }

  /** The number of those that have not ended. */
  int openCount() {
    return table.count() - table.endedCount();
  }

  /**
   * Checks a committed request and updates its client's session.
   *
   * @return the result, if the request must not take effect: the stored one, or the reason why
   *     there is none. Empty if it takes effect now and its result is to be {@linkplain #remember
   *     stored}.
   */
  Optional<byte[]> arrived(RequestId tag, Position position) throws IOException {
    SessionTable.Arrival arrival = table.arrived(tag, position);
    if (table.session(tag.client()).isPresent()) {
      changed.add(tag.client());
    }
    return switch (arrival) {
      case TAKES_EFFECT -> Optional.empty();
      case REPEATED -> keptResult(tag);
      case FORGOTTEN -> Optional.of(EncodedResults.of(Result.FORGOTTEN));
      // Not a refusal: no session stores the request, so a copy of it with a higher floor may still
      // take effect. A client exceeds its window only by a merge of regions.
      case BEYOND_WINDOW -> Optional.of(EncodedResults.of(Result.FORGOTTEN));
      case OUTDATED -> Optional.of(EncodedResults.of(Result.OUTDATED));
    };
  }

  /** Ends the session of a client. */
  void end(ClientId client) {
    changed.add(client);
    table.end(client);
  }

  /** Stores the result of a request that has just taken effect. */
  void remember(RequestId tag, byte[] result) {
    if (result.length <= SessionTable.INLINE_RESULT_BYTES_MAX) {
      table.remember(tag, EncodedResults.shared(result));
    } else if (table.remember(tag, Session.IN_OWN_ROW)) {
      changedResults.put(new ResultId(tag.client(), tag.sequence()), Optional.of(result));
    }
  }

  /** The stored result of a request, if there is one; changes nothing. */
  Optional<byte[]> keptResult(RequestId tag) throws IOException {
    Optional<byte[]> kept = table.keptResult(tag);
    return kept.isEmpty() || kept.get() != Session.IN_OWN_ROW
        ? kept
        : Optional.of(resultInOwnRow(tag.client(), tag.sequence()));
  }

  private byte[] resultInOwnRow(ClientId client, long sequence) throws IOException {
    Optional<byte[]> unwritten =
        changedResults.getOrDefault(new ResultId(client, sequence), Optional.empty());
    if (unwritten.isPresent()) {
      return unwritten.get();
    }
    return database
        .get(Family.SESSIONS, SessionRows.resultKey(region, client, sequence))
        .orElseThrow(
            () ->
                new IOException(
                    "The stored result of request "
                        + sequence
                        + " of client "
                        + client
                        + " is missing from the database."));
  }

  /**
   * Writes what a child begins with of these sessions, with changes that are not written yet. They
   * count as last active before the positions of the child, which has its own: with those of this
   * region, the child would expire them at an arbitrary time.
   */
  void copyTo(GroupId child) throws IOException {
    SessionTable.Inheritance inheritance = table.inheritance(child);
    try (SessionCopy copy = new SessionCopy(database)) {
      for (Map.Entry<ClientId, Session> each : inheritance.sessions().entrySet()) {
        ClientId client = each.getKey();
        copy.put(
            SessionRows.sessionKey(child, client),
            SessionRows.encode(each.getValue(), Position.NONE));
        for (long sequence : each.getValue().ownRows()) {
          copy.put(
              SessionRows.resultKey(child, client, sequence),
              ByteBuffer.wrap(resultInOwnRow(client, sequence)));
        }
      }
      copy.put(SessionRows.fenceKey(child), inheritance.fence().encoded());
      copy.write();
    }
  }

  /** Adds the sessions of a region that this one absorbs. */
  void absorb(AbsorbedState state, Position at) {
    table.absorb(state.fence(), at);
    List<MovedSession> moved = state.sessions();
    for (MovedSession each : moved) {
      ClientId client = each.client();
      table.absorb(each, at);
      changed.add(client);
      Optional<Session> session = table.session(client);
      if (session.isEmpty()) {
        // It had ended.
        continue;
      }
      NavigableMap<Long, byte[]> kept = session.get().results();
      each.results()
          .forEach(
              (sequence, result) -> {
                if (kept.get(sequence) == Session.IN_OWN_ROW) {
                  changedResults.put(new ResultId(client, sequence), Optional.of(result));
                }
              });
    }
  }

  /** Removes every session that was last active before a position. */
  void expire(Position before) {
    table.expire(before);
  }

  /** Adds the changes to a batch. They stay pending until {@link #written}. */
  void addChanges(DatabaseBatch batch) throws IOException {
    for (ClientId client : changed) {
      byte[] key = SessionRows.sessionKey(region, client);
      Optional<Session> session = table.session(client);
      if (session.isPresent()) {
        batch.put(Family.SESSIONS, key, SessionRows.encode(session.get()));
      } else {
        batch.delete(Family.SESSIONS, key);
      }
    }
    if (!table.fence().equals(writtenFence)) {
      batch.put(Family.SESSIONS, SessionRows.fenceKey(region), table.fence().encoded());
    }
    for (Map.Entry<ResultId, Optional<byte[]>> each : changedResults.entrySet()) {
      ResultId id = each.getKey();
      byte[] key = SessionRows.resultKey(region, id.client(), id.sequence());
      if (each.getValue().isPresent()) {
        batch.put(Family.SESSIONS, key, ByteBuffer.wrap(each.getValue().get()));
      } else {
        batch.delete(Family.SESSIONS, key);
      }
    }
  }

  /**
   * Takes back the changes that are not written: reads the rows of the clients that have any. If
   * this fails, the object cannot be used any more.
   */
  void undo() throws IOException {
    for (ClientId client : changed) {
      Optional<byte[]> row = database.get(Family.SESSIONS, SessionRows.sessionKey(region, client));
      table.restore(
          client, row.isPresent() ? Optional.of(SessionRows.decode(row.get())) : Optional.empty());
    }
    table.fence(writtenFence(database, region));
    written();
  }

  /** Called when the batch has been written. */
  void written() {
    writtenFence = table.fence();
    changed.clear();
    changedResults.clear();
  }
}
