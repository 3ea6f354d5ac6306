package io.quorate.storage;

import io.quorate.consensus.Position;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestTag;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The rule by which a request takes effect once however often it is committed, over the sessions in
 * memory. What it decides depends on the committed commands and the window's size alone, so that
 * every replica decides alike, and so does whoever looks ahead of the applier. One thread at a
 * time.
 */
final class SessionTable {

  /** What becomes of a request. */
  enum Arrival {
    /** It takes effect now, and its answer is to be {@link #remember}ed. */
    TAKES_EFFECT,
    /** It took effect before, and the answer of then is kept. */
    REPEATED,
    /** Whether it took effect before is not known any more; it does not now. */
    FORGOTTEN,
    /** Its client has more requests open than are kept; it does not take effect. */
    BEYOND_WINDOW,
    /**
     * The region remembers as many clients, or answers, as it may. It does not take effect; a copy
     * of it that comes when there is room may.
     */
    FULL
  }

  /**
   * Most clients and answers that a region remembers, of at most {@link
   * Sessions#INLINE_ANSWER_BYTES} each in memory. Not settings: every replica has to decide alike.
   * A client that was forgotten to make room could have a request executed twice, so a request
   * takes no effect instead.
   */
  static final int CLIENTS_MOST = 1 << 20;

  static final int ANSWERS_MOST = 1 << 22;

  /** Told of answers with rows of their own that are needed no more. */
  @FunctionalInterface
  interface OwnRows {
    OwnRows UNWRITTEN = (client, sequence) -> {};

    void dropped(ClientId client, long sequence);
  }

  private final int window;
  private final int clientsMost;
  private final int answersMost;
  private final OwnRows ownRows;
  private final Map<ClientId, Session> sessions = new HashMap<>();

  /** Answers of all sessions. */
  private int answers;

  SessionTable(int window, OwnRows ownRows) {
    this(window, CLIENTS_MOST, ANSWERS_MOST, ownRows);
  }

  /** With bounds of its own, for tests. */
  SessionTable(int window, int clientsMost, int answersMost, OwnRows ownRows) {
    this.window = window;
    this.clientsMost = clientsMost;
    this.answersMost = answersMost;
    this.ownRows = ownRows;
  }

  void add(ClientId client, Session session) {
    sessions.put(client, session);
    answers += session.answers().size();
  }

  int count() {
    return sessions.size();
  }

  Optional<Session> session(ClientId client) {
    return Optional.ofNullable(sessions.get(client));
  }

  /** Takes note of a request. */
  Arrival arrived(RequestTag tag, Position position) {
    if (sessions.size() >= clientsMost && !sessions.containsKey(tag.client())) {
      return Arrival.FULL;
    }
    Session session =
        sessions.computeIfAbsent(tag.client(), any -> new Session(tag.floor(), position));
    session.touch(position);
    if (tag.sequence() < session.floor()) {
      return Arrival.FORGOTTEN;
    }
    int before = session.answers().size();
    for (long sequence : session.raiseFloor(tag.floor())) {
      ownRows.dropped(tag.client(), sequence);
    }
    answers -= before - session.answers().size();
    if (session.answers().containsKey(tag.sequence())) {
      return Arrival.REPEATED;
    }
    if (answers >= answersMost) {
      return Arrival.FULL;
    }
    return session.answers().size() >= window ? Arrival.BEYOND_WINDOW : Arrival.TAKES_EFFECT;
  }

  /**
   * Keeps the answer to a request that has just taken effect.
   *
   * @param answer {@link Session#IN_OWN_ROW} for one that is kept elsewhere
   * @return whether it is kept: not if the request was one that expired its own session
   */
  boolean remember(RequestTag tag, byte[] answer) {
    Session session = sessions.get(tag.client());
    if (session == null) {
      return false;
    }
    if (session.answers().put(tag.sequence(), answer) == null) {
      answers++;
    }
    return true;
  }

  /**
   * The answer that a request had, if it is known; {@link Session#IN_OWN_ROW} itself for one that
   * is kept elsewhere. Changes nothing.
   */
  Optional<byte[]> answered(RequestTag tag) {
    return session(tag.client()).map(session -> session.answers().get(tag.sequence()));
  }

  /**
   * Forgets every session that was last active before a position.
   *
   * @param expired told of each
   */
  void expire(Position before, Consumer<ClientId> expired) {
    Iterator<Map.Entry<ClientId, Session>> each = sessions.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<ClientId, Session> entry = each.next();
      if (entry.getValue().lastActive().compareTo(before) < 0) {
        for (long sequence : entry.getValue().ownRows()) {
          ownRows.dropped(entry.getKey(), sequence);
        }
        answers -= entry.getValue().answers().size();
        expired.accept(entry.getKey());
        each.remove();
      }
    }
  }
}
