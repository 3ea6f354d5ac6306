package io.quorate.storage.session;

import io.quorate.model.GroupId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.RequestId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

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
     * Its session may have been removed. Neither it nor any other copy of it takes effect any more.
     */
    OUTDATED
  }

  /** A longer result has a row of its own instead of being rewritten with its session's row. */
  public static final int INLINE_RESULT_BYTES_MAX = 64;

  /**
   * Maximum numbers of clients and of results that a region stores; each result takes at most
   * {@link #INLINE_RESULT_BYTES_MAX} bytes in memory. Not settings: every replica has to decide
   * alike. Beyond them the sessions that were inactive for longest are removed, which the {@link
   * SessionFence} makes safe; only clients that are active at one position may exceed them.
   */
  public static final int CLIENTS_MAX = 1 << 16;

  static final int RESULTS_MAX = 1 << 18;

  /**
   * Maximum number of sessions that have ended and are not removed yet. Removing them at once would
   * outdate the calls that others have in flight, and cost each other client one more entry.
   */
  static final int ENDED_MAX = CLIENTS_MAX / 8;

  /** The part of the sessions that is removed at a time, as a divisor: the search costs as much. */
  private static final int REMOVED_DIVISOR = 8;

  /** The part of its bounds up to which a child inherits sessions, as a divisor. */
  private static final int INHERITED_DIVISOR = 8;

  /** Receives what is no longer needed. */
  public interface OwnRows {
    OwnRows UNWRITTEN =
        new OwnRows() {
          @Override
          public void dropped(ClientId client, long sequence) {}

          @Override
          public void removed(ClientId client) {}
        };

    /** A result with a row of its own is not needed any more. */
    void dropped(ClientId client, long sequence);

    /** A session was removed. */
    void removed(ClientId client);
  }

  private final int window;
  private final int clientsMax;
  private final int resultsMax;
  private final int endedMax;
  private final OwnRows ownRows;
  private final Map<ClientId, Session> sessions = new HashMap<>();

  /** Number of results of all sessions. */
  private int results;

  /** Number of sessions that have ended. */
  private int ended;

  private SessionFence fence;

  /** Without sessions. */
  public SessionTable(GroupId region, int window, OwnRows ownRows) {
    this(region, window, CLIENTS_MAX, RESULTS_MAX, ENDED_MAX, ownRows);
  }

  /** With other bounds, for tests. */
  public SessionTable(
      GroupId region, int window, int clientsMax, int resultsMax, int endedMax, OwnRows ownRows) {
    this.fence = SessionFence.none(region);
    this.window = window;
    this.clientsMax = clientsMax;
    this.resultsMax = resultsMax;
    this.endedMax = endedMax;
    this.ownRows = ownRows;
  }

  /** Adds a session that was loaded. */
  public void add(ClientId client, Session session) {
    sessions.put(client, session);
    results += session.results().size();
    ended += session.hasEnded() ? 1 : 0;
  }

  /** Replaces the session of a client by that which was loaded; removes it if there is none. */
  public void restore(ClientId client, Optional<Session> loaded) {
    Session present = sessions.remove(client);
    if (present != null) {
      results -= present.results().size();
      ended -= present.hasEnded() ? 1 : 0;
    }
    loaded.ifPresent(session -> add(client, session));
  }

  /** Which requests may have been executed in sessions that were removed. */
  public SessionFence fence() {
    return fence;
  }

  /** Sets the fence that was loaded, or inherited. */
  public void fence(SessionFence loaded) {
    fence = loaded;
  }

  /** Number of clients, with those whose session has ended and is not removed yet. */
  public int count() {
    return sessions.size();
  }

  /** Number of those whose session has ended. */
  public int endedCount() {
    return ended;
  }

  /**
   * What a child begins with.
   *
   * @param sessions those that were active last; not to be changed
   * @param fence excludes the calls of all others
   */
  public record Inheritance(Map<ClientId, Session> sessions, SessionFence fence) {}

  /**
   * What a child of the region begins with: the sessions that were active last, since a copy of a
   * call from before the split belongs to one of these, unless it is old. Whether its results are
   * of keys of the child is not known. The others are as if the child had removed them.
   */
  public Inheritance inheritance(GroupId child) {
    List<Session> latest = new ArrayList<>(sessions.values());
    latest.sort(Comparator.comparing(Session::lastActive).reversed());
    int clients = 0;
    long resultsSoFar = 0;
    for (Session session : latest) {
      resultsSoFar += session.results().size();
      if (++clients >= clientsMax / INHERITED_DIVISOR
          || resultsSoFar >= resultsMax / INHERITED_DIVISOR) {
        return inheritance(child, session.lastActive());
      }
    }
    return new Inheritance(sessions(), fence.ofChild(child));
  }

  /**
   * @param since the last activity of the longest inactive session that is inherited
   */
  private Inheritance inheritance(GroupId child, Position since) {
    Map<ClientId, Session> inherited = new HashMap<>();
    SessionFence left = fence;
    for (Map.Entry<ClientId, Session> each : sessions.entrySet()) {
      Position lastActive = each.getValue().lastActive();
      if (lastActive.compareTo(since) >= 0) {
        inherited.put(each.getKey(), each.getValue());
      } else {
        left = left.removed(lastActive);
      }
    }
    return new Inheritance(inherited, left.ofChild(child));
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
    if (keptResult(tag).isEmpty() && fence.excludes(tag.known())) {
      return Arrival.OUTDATED;
    }
    if (session(tag.client()).filter(Session::hasEnded).isPresent()) {
      return Arrival.OUTDATED;
    }
    if (sessions.size() >= clientsMax && !sessions.containsKey(tag.client())) {
      removeInactive(position);
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
    if (session.results().size() >= window) {
      return Arrival.BEYOND_WINDOW;
    }
    while (results >= resultsMax && removeInactive(position)) {
      // Each time, a part of the sessions that are not active at this position.
    }
    // Only others were removed, but this call may have begun before they were active.
    return fence.excludes(tag.known()) ? Arrival.OUTDATED : Arrival.TAKES_EFFECT;
  }

  /**
   * Ends the session of a client, which sends no requests any more: copies of those that it has
   * sent are outdated.
   */
  public void end(ClientId client) {
    Session session = sessions.get(client);
    if (session != null) {
      end(client, session);
    }
  }

  private void end(ClientId client, Session session) {
    if (session.hasEnded()) {
      return;
    }
    results -= session.results().size();
    session.end().forEach(sequence -> ownRows.dropped(client, sequence));
    ended++;
    if (ended > endedMax) {
      removeEnded();
    }
  }

  /** Removes the half of the ended sessions that were inactive for longest. */
  private void removeEnded() {
    long[] active =
        sessions.values().stream()
            .filter(Session::hasEnded)
            .mapToLong(each -> each.lastActive().index())
            .sorted()
            .toArray();
    long last = active[(active.length - 1) / 2];
    remove(session -> session.hasEnded() && session.lastActive().index() <= last);
  }

  /**
   * Removes the sessions that were inactive for longest, though none that was active at the present
   * position.
   *
   * @return whether there were any
   */
  private boolean removeInactive(Position present) {
    long[] active =
        sessions.values().stream().mapToLong(each -> each.lastActive().index()).sorted().toArray();
    if (active.length == 0 || active[0] >= present.index()) {
      return false;
    }
    long last = Math.min(active[active.length / REMOVED_DIVISOR], present.index() - 1);
    expire(new Position(present.epoch(), last + 1));
    return true;
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
        sessions.computeIfAbsent(
            moved.client(), any -> new Session(moved.hasEnded() ? 0 : moved.floor(), at));
    int before = session.results().size();
    session.touch(at);
    if (moved.hasEnded() || session.hasEnded()) {
      end(moved.client(), session);
      return;
    }
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

  /** Takes in the fence of a region that is absorbed. */
  public void absorb(SessionFence moved, Position at) {
    fence = fence.absorbing(moved, at);
  }

  /** Removes every session that was last active before a position. */
  public void expire(Position before) {
    remove(session -> session.lastActive().compareTo(before) < 0);
  }

  private void remove(Predicate<Session> condition) {
    Iterator<Map.Entry<ClientId, Session>> each = sessions.entrySet().iterator();
    while (each.hasNext()) {
      Map.Entry<ClientId, Session> entry = each.next();
      Session session = entry.getValue();
      if (condition.test(session)) {
        for (long sequence : session.ownRows()) {
          ownRows.dropped(entry.getKey(), sequence);
        }
        results -= session.results().size();
        ended -= session.hasEnded() ? 1 : 0;
        fence = fence.removed(session.lastActive());
        ownRows.removed(entry.getKey());
        each.remove();
      }
    }
  }
}
