package io.quorate.storage;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Position;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestTag;
import io.quorate.operation.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The client sessions of one region, which make a request take effect once however often it is
 * committed. Held in memory, except long answers; what changed since the last write goes into the
 * same batch as the data. One thread at a time.
 *
 * <p>What it answers depends on the committed commands and the window's size alone, so that every
 * replica decides alike.
 */
final class Sessions {
  /** An answer longer than this is not rewritten with its session's row but has one of its own. */
  static final int INLINE_ANSWER_BYTES = 64;

  private record AnswerId(ClientId client, long sequence) {}

  private final Database database;
  private final GroupId region;
  private final int window;
  private final Map<ClientId, Session> sessions = new HashMap<>();
  private final Set<ClientId> changed = new HashSet<>();

  /** Rows of long answers to be written, or, where the array is missing, to be removed. */
  private final Map<AnswerId, Optional<byte[]>> changedAnswers = new LinkedHashMap<>();

  private Sessions(Database database, GroupId region, int window) {
    this.database = database;
    this.region = region;
    this.window = window;
  }

  /** The sessions as they were last written. */
  static Sessions load(Database database, GroupId region, int window) throws IOException {
    Sessions loaded = new Sessions(database, region, window);
    try (NativeScope scope = database.child("sessions")) {
      Database.Cursor cursor =
          database.cursor(
              scope,
              Family.SESSIONS,
              SessionRows.regionStart(region),
              Optional.of(SessionRows.sessionsEnd(region)),
              Optional.empty());
      for (; cursor.isAtRow(); cursor.next()) {
        loaded.sessions.put(SessionRows.client(cursor.key()), SessionRows.decode(cursor.value()));
      }
    }
    return loaded;
  }

  int count() {
    return sessions.size();
  }

  /**
   * Takes note of a request.
   *
   * @return the answer, if the request must not take effect: the one it had before, or why it has
   *     none. Empty if it is to take effect now and its answer to be {@link #remember}ed.
   */
  Optional<byte[]> arrived(RequestTag tag, Position position) throws IOException {
    Session session =
        sessions.computeIfAbsent(tag.client(), any -> new Session(tag.floor(), position));
    changed.add(tag.client());
    session.touch(position);
    if (tag.sequence() < session.floor()) {
      return Optional.of(Answers.of(Result.FORGOTTEN));
    }
    for (long sequence : session.raiseFloor(tag.floor())) {
      changedAnswers.put(new AnswerId(tag.client(), sequence), Optional.empty());
    }
    Optional<byte[]> before = answer(session, tag);
    if (before.isEmpty() && session.answers().size() >= window) {
      return Optional.of(
          Answers.of(
              new Result.Refused(
                  "A client has at most "
                      + window
                      + " requests whose answers are kept; raise the floor to send more.")));
    }
    return before;
  }

  /** Keeps the answer to a request that has just taken effect. */
  void remember(RequestTag tag, byte[] answer) {
    Session session = sessions.get(tag.client());
    if (session == null) {
      // The request itself was one that expired its own session.
      return;
    }
    if (answer.length <= INLINE_ANSWER_BYTES) {
      session.answers().put(tag.sequence(), Answers.shared(answer));
    } else {
      session.answers().put(tag.sequence(), Session.IN_OWN_ROW);
      changedAnswers.put(new AnswerId(tag.client(), tag.sequence()), Optional.of(answer));
    }
  }

  /** The answer that a request had, if it is known; changes nothing. */
  Optional<byte[]> answered(RequestTag tag) throws IOException {
    Session session = sessions.get(tag.client());
    return session == null ? Optional.empty() : answer(session, tag);
  }

  private Optional<byte[]> answer(Session session, RequestTag tag) throws IOException {
    byte[] kept = session.answers().get(tag.sequence());
    if (kept != Session.IN_OWN_ROW) {
      return Optional.ofNullable(kept);
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
    Iterator<Map.Entry<ClientId, Session>> each = sessions.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<ClientId, Session> entry = each.next();
      Session session = entry.getValue();
      if (session.lastActive().compareTo(before) < 0) {
        changed.add(entry.getKey());
        for (long sequence : session.ownRows()) {
          changedAnswers.put(new AnswerId(entry.getKey(), sequence), Optional.empty());
        }
        each.remove();
      }
    }
  }

  /** Adds what changed to a batch. It stays noted as changed until {@link #written}. */
  void addChanges(DatabaseBatch batch) throws IOException {
    for (ClientId client : changed) {
      byte[] key = SessionRows.sessionKey(region, client);
      Session session = sessions.get(client);
      if (session == null) {
        batch.delete(Family.SESSIONS, key);
      } else {
        batch.put(Family.SESSIONS, key, SessionRows.encode(session));
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
