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
    BEYOND_WINDOW
  }

  /** Told of answers with rows of their own that are needed no more. */
  @FunctionalInterface
  interface OwnRows {
    OwnRows UNWRITTEN = (client, sequence) -> {};

    void dropped(ClientId client, long sequence);
  }

  private final int window;
  private final OwnRows ownRows;
  private final Map<ClientId, Session> sessions = new HashMap<>();

  SessionTable(int window, OwnRows ownRows) {
    this.window = window;
    this.ownRows = ownRows;
  }

  void add(ClientId client, Session session) {
    sessions.put(client, session);
  }

  int count() {
    return sessions.size();
  }

  Optional<Session> session(ClientId client) {
    return Optional.ofNullable(sessions.get(client));
  }

  /** Takes note of a request. */
  Arrival arrived(RequestTag tag, Position position) {
    Session session =
        sessions.computeIfAbsent(tag.client(), any -> new Session(tag.floor(), position));
    session.touch(position);
    if (tag.sequence() < session.floor()) {
      return Arrival.FORGOTTEN;
    }
    for (long sequence : session.raiseFloor(tag.floor())) {
      ownRows.dropped(tag.client(), sequence);
    }
    if (session.answers().containsKey(tag.sequence())) {
      return Arrival.REPEATED;
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
    session.answers().put(tag.sequence(), answer);
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
        expired.accept(entry.getKey());
        each.remove();
      }
    }
  }
}
