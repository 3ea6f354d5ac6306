package io.quorate.storage.session;

import io.quorate.model.Position;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * One client's session in one region: the results of requests that the client may retry. One thread
 * at a time.
 */
public final class Session {
  /** Placeholder for a result that is stored in a row of its own. No encoded result is empty. */
  public static final byte[] IN_OWN_ROW = new byte[0];

  /** The floor of a session that has ended; that of a request is lower. */
  static final long ENDED = Long.MAX_VALUE;

  private NavigableMap<Long, byte[]> results;
  private long floor;
  private Position lastActive;

  Session(long floor, Position lastActive) {
    this.floor = floor;
    this.lastActive = lastActive;
    this.results = floor == ENDED ? Collections.emptyNavigableMap() : new TreeMap<>();
  }

  /** The lowest sequence whose result would still be stored. */
  public long floor() {
    return floor;
  }

  /** Whether the client has ended it: it has no results, and its requests take effect no more. */
  public boolean hasEnded() {
    return floor == ENDED;
  }

  /**
   * Ends the session.
   *
   * @return sequences of dropped results with rows of their own
   */
  List<Long> end() {
    List<Long> dropped = ownRows();
    floor = ENDED;
    results = Collections.emptyNavigableMap();
    return dropped;
  }

  Position lastActive() {
    return lastActive;
  }

  void touch(Position position) {
    lastActive = position;
  }

  /**
   * The stored results by sequence; {@link #IN_OWN_ROW} itself for those in rows of their own.
   * Below the floor there are none, except of requests to a region that was absorbed.
   */
  public NavigableMap<Long, byte[]> results() {
    return results;
  }

  /**
   * Raises the floor, never lowers it, and drops the results below the one that is given.
   *
   * @return sequences of dropped results with rows of their own
   */
  List<Long> raiseFloor(long to) {
    coverFloor(to);
    NavigableMap<Long, byte[]> below = results.headMap(to, false);
    if (below.isEmpty()) {
      return List.of();
    }
    List<Long> ownRows = ownRows(below);
    below.clear();
    return ownRows;
  }

  /** Raises the floor, never lowers it, and keeps the results below it. */
  void coverFloor(long to) {
    floor = Math.max(floor, to);
  }

  /**
   * Drops the result with the lowest sequence, which is below the floor then.
   *
   * @return its sequence
   */
  long dropLowest() {
    long lowest = results.pollFirstEntry().getKey();
    coverFloor(lowest + 1);
    return lowest;
  }

  /** The sequences of results with rows of their own. */
  public List<Long> ownRows() {
    return ownRows(results);
  }

  private static List<Long> ownRows(Map<Long, byte[]> results) {
    List<Long> sequences = new ArrayList<>(0);
    results.forEach(
        (sequence, result) -> {
          if (result == IN_OWN_ROW) {
            sequences.add(sequence);
          }
        });
    return sequences;
  }
}
