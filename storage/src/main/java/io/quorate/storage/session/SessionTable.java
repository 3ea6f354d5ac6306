package io.quorate.storage.session;

import io.quorate.consensus.Position;
import io.quorate.operation.ClientId;
import io.quorate.operation.RequestId;
import java.util.Collections;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Deduplicates requests: each takes effect once, however often it is committed. Decisions depend
 * only on the committed commands and the window's size, so that every replica, and a stage ahead of
 * the applier, decides alike. In memory; one thread at a time.
 */
public final class SessionTable {

  /** Outcome of the session check for a request. */
  public enum Arrival {
    /** It takes effect now, and its result is to be {@linkplain #remember stored}. */
    TAKES_EFFECT,
    /** It took effect before, and its result is stored. */
    REPEATED,
    /** Whether it took effect before is no longer known; it does not take effect now. */
    FORGOTTEN,
    /** Its client already has the maximum number of stored results; it does not take effect. */
    BEYOND_WINDOW,
    /**
     * The region stores the maximum number of clients or results. The request does not take effect;
     * a later copy of it may, if there is capacity then.
     */
    FULL
  }

  /** A longer result has a row of its own instead of being rewritten with its session's row. */
  public static final int INLINE_RESULT_BYTES_MAX = 64;

  /**
   * Maximum numbers of clients and of results that a region stores; each result takes at most
   * {@link #INLINE_RESULT_BYTES_MAX} bytes in memory. Not settings: every replica has to decide
   * alike. Evicting a client instead could let one of its requests execute twice, so a request
   * beyond them takes no effect.
   */
  public static final int CLIENTS_MAX = 1 << 20;

  static final int RESULTS_MAX = 1 << 22;

  /** Receives results with rows of their own that are no longer needed. */
  @FunctionalInterface
  public interface OwnRows {
    OwnRows UNWRITTEN = (client, sequence) -> {};

    void dropped(ClientId client, long sequence);
  }

  private final int window;
  private final int clientsMax;
  private final int resultsMax;
  private final OwnRows ownRows;
  private final Map<ClientId, Session> sessions = new HashMap<>();

  /** Number of results of all sessions. */
  private int results;

  public SessionTable(int window, OwnRows ownRows) {
    this(window, CLIENTS_MAX, RESULTS_MAX, ownRows);
  }

  /** With other bounds, for tests. */
  SessionTable(int window, int clientsMax, int resultsMax, OwnRows ownRows) {
    this.window = window;
    this.clientsMax = clientsMax;
    this.resultsMax = resultsMax;
    this.ownRows = ownRows;
  }

  /** Adds a session that was loaded. */
  public void add(ClientId client, Session session) {
    sessions.put(client, session);
    results += session.results().size();
  }

  /** Number of clients. */
  public int count() {
    return sessions.size();
  }

  /** The session of each client. */
  public Map<ClientId, Session> sessions() {
    return Collections.unmodifiableMap(sessions);
  }

  /** The session of a client; empty if it has none. */
  public Optional<Session> session(ClientId client) {
    return Optional.ofNullable(sessions.get(client));
  }

  /** Checks a committed request and updates its client's session. */
  public Arrival arrived(RequestId tag, Position position) {
    if (sessions.size() >= clientsMax && !sessions.containsKey(tag.client())) {
      return Arrival.FULL;
    }
    Session session =
        sessions.computeIfAbsent(tag.client(), any -> new Session(tag.floor(), position));
    session.touch(position);
    boolean isKept = session.results().containsKey(tag.sequence());
    if (tag.sequence() < session.floor() && !isKept) {
      return Arrival.FORGOTTEN;
    }
    int before = session.results().size();
    for (long sequence : session.raiseFloor(tag.floor())) {
      ownRows.dropped(tag.client(), sequence);
    }
    results -= before - session.results().size();
    if (isKept) {
      return Arrival.REPEATED;
    }
    if (results >= resultsMax) {
      return Arrival.FULL;
    }
    return session.results().size() >= window ? Arrival.BEYOND_WINDOW : Arrival.TAKES_EFFECT;
  }

  /**
   * Stores the result of a request that has just taken effect.
   *
   * @param result {@link Session#IN_OWN_ROW} for one that is stored elsewhere
   * @return whether it was stored: false if the request expired its own session
   */
  public boolean remember(RequestId tag, byte[] result) {
    Session session = sessions.get(tag.client());
    if (session == null) {
      return false;
    }
    if (session.results().put(tag.sequence(), result) == null) {
      results++;
    }
    return true;
  }

  /**
   * The stored result of a request, if there is one; {@link Session#IN_OWN_ROW} itself for one that
   * is stored elsewhere. Changes nothing.
   */
  public Optional<byte[]> keptResult(RequestId tag) {
    return session(tag.client()).map(session -> session.results().get(tag.sequence()));
  }

  /**
   * Adds what a region that is absorbed stores of a client. Its results stay, also below the higher
   * one of the two floors, which counts from now on: with the lower one, a late copy of a request
   * that the other region has forgotten would take effect twice. At most half of the window is
   * kept, so that the client can send requests before it raises the floor.
   *
   * @param at the position at which the region is absorbed, when the client counts as active
   */
  public void absorb(MovedSession moved, Position at) {
    Session session =
        sessions.computeIfAbsent(moved.client(), any -> new Session(moved.floor(), at));
    int before = session.results().size();
    session.touch(at);
    session.coverFloor(moved.floor());
    moved
        .results()
        .forEach(
            (sequence, result) ->
                session
                    .results()
                    .putIfAbsent(
                        sequence,
                        result.length > INLINE_RESULT_BYTES_MAX ? Session.IN_OWN_ROW : result));
    while (session.results().size() > Math.max(before, RequestId.resultsAfterMerge(window))) {
      byte[] lowest = session.results().firstEntry().getValue();
      long sequence = session.dropLowest();
      if (lowest == Session.IN_OWN_ROW) {
        ownRows.dropped(moved.client(), sequence);
      }
    }
    results += session.results().size() - before;
  }

  /**
   * Removes every session that was last active before a position.
   *
   * @param expired receives each removed client
   */
  public void expire(Position before, Consumer<ClientId> expired) {
    Iterator<Map.Entry<ClientId, Session>> each = sessions.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<ClientId, Session> entry = each.next();
      if (entry.getValue().lastActive().compareTo(before) < 0) {
        for (long sequence : entry.getValue().ownRows()) {
          ownRows.dropped(entry.getKey(), sequence);
        }
        results -= entry.getValue().results().size();
        expired.accept(entry.getKey());
        each.remove();
      }
    }
  }
}
