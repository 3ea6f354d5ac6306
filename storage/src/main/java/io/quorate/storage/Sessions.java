package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestTag;
import io.quorate.operation.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The client sessions of one region as they are written: held in memory, except long answers; what
 * changed since the last write goes into the same batch as the data. One thread at a time. What
 * becomes of a request is {@link SessionTable}'s to decide.
 */
final class Sessions {
  private static final Logger LOG = LoggerFactory.getLogger(Sessions.class);

  /** An answer longer than this is not rewritten with its session's row but has one of its own. */
  static final int INLINE_ANSWER_BYTES = 64;

  private record AnswerId(ClientId client, long sequence) {}

  private final Database database;
  private final GroupId region;
  private final int window;
  private final SessionTable table;
  private final Set<ClientId> changed = new HashSet<>();

  /** Rows of long answers to be written, or, where the array is missing, to be removed. */
  private final Map<AnswerId, Optional<byte[]>> changedAnswers = new LinkedHashMap<>();

  /** Whether it was logged since sessions expired last. */
  private boolean isFull;

  private Sessions(Database database, GroupId region, int window) {
    this.database = database;
    this.region = region;
    this.window = window;
    this.table =
        new SessionTable(
            window,
            (client, sequence) ->
                changedAnswers.put(new AnswerId(client, sequence), Optional.empty()));
  }

  /** The sessions as they were last written. */
  static Sessions load(Database database, GroupId region, int window) throws IOException {
    Sessions loaded = new Sessions(database, region, window);
    fill(loaded.table, database, region);
    return loaded;
  }

  /** Adds the sessions as they were last written to a table. */
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
  }

  int count() {
    return table.count();
  }

  /**
   * Takes note of a request.
   *
   * @return the answer, if the request must not take effect: the one it had before, or why it has
   *     none. Empty if it is to take effect now and its answer to be {@link #remember}ed.
   */
  Optional<byte[]> arrived(RequestTag tag, Position position) throws IOException {
    changed.add(tag.client());
    return switch (table.arrived(tag, position)) {
      case TAKES_EFFECT -> Optional.empty();
      case REPEATED -> answered(tag);
      case FORGOTTEN -> Optional.of(Answers.of(Result.FORGOTTEN));
      case BEYOND_WINDOW ->
          Optional.of(
              Answers.of(
                  new Result.Refused(
                      "A client has at most "
                          + window
                          + " requests whose answers are kept; raise the floor to send more.")));
      case FULL -> {
        warnOnce();
        // Not a refusal: nothing remembers it, so that a copy of the request may yet take effect.
        yield Optional.of(Answers.of(Result.FORGOTTEN));
      }
    };
  }

  private void warnOnce() {
    if (!isFull) {
      isFull = true;
      LOG.warn(
          "Region {} remembers {} clients, of {} at most, and as many of their answers as it can;"
              + " requests end as indeterminate until sessions expire",
          region,
          table.count(),
          SessionTable.CLIENTS_MOST);
    }
  }

  /** Keeps the answer to a request that has just taken effect. */
  void remember(RequestTag tag, byte[] answer) {
    if (answer.length <= INLINE_ANSWER_BYTES) {
      table.remember(tag, Answers.shared(answer));
    } else if (table.remember(tag, Session.IN_OWN_ROW)) {
      changedAnswers.put(new AnswerId(tag.client(), tag.sequence()), Optional.of(answer));
    }
  }

  /** The answer that a request had, if it is known; changes nothing. */
  Optional<byte[]> answered(RequestTag tag) throws IOException {
    Optional<byte[]> kept = table.answered(tag);
    if (kept.isEmpty() || kept.get() != Session.IN_OWN_ROW) {
      return kept;
    }
    Optional<byte[]> unwritten =
        changedAnswers.getOrDefault(new AnswerId(tag.client(), tag.sequence()), Optional.empty());
    if (unwritten.isPresent()) {
      return unwritten;
    }
    byte[] key = SessionRows.answerKey(region, tag.client(), tag.sequence());
    Optional<byte[]> row = database.get(Family.SESSIONS, key);
    if (row.isEmpty()) {
      throw new IOException(
          "The kept answer to request "
              + tag.sequence()
              + " of client "
              + tag.client()
              + " is missing from the database.");
    }
    return row;
  }

  /** Forgets every session that was last active before a position. */
  void expire(Position before) {
    table.expire(before, changed::add);
    isFull = false;
  }

  /** Adds what changed to a batch. It stays noted as changed until {@link #written}. */
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
    for (Map.Entry<AnswerId, Optional<byte[]>> each : changedAnswers.entrySet()) {
      AnswerId id = each.getKey();
      byte[] key = SessionRows.answerKey(region, id.client(), id.sequence());
      if (each.getValue().isPresent()) {
        batch.put(Family.SESSIONS, key, ByteBuffer.wrap(each.getValue().get()));
      } else {
        batch.delete(Family.SESSIONS, key);
      }
    }
  }

  /** The batch has been written. */
  void written() {
    changed.clear();
    changedAnswers.clear();
  }
}
