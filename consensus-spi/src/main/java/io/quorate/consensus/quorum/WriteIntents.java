package io.quorate.consensus.quorum;

import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * At which positions a replica may yet write which keys: the part of a share that the log knows
 * before the state does (PROTOCOLS Q1, L1). Holds the <em>highest</em> position for each key; the
 * lowest would let a newer write be missed.
 *
 * <p>As large as what is noted above the settled position, which the caller bounds. Not
 * thread-safe: notes, settling and questions come from the thread that owns the replica.
 */
public final class WriteIntents {
  /** What no position is. */
  public static final long NONE = -1;

  private final TreeMap<Long, List<KeyScope>> noted = new TreeMap<>();
  private final TreeMap<Long, List<KeyRange>> ranges = new TreeMap<>();
  private final Map<Key, Long> highestOfKey = new HashMap<>();

  /** A write of {@code scope} may come at {@code index}. Called before anybody is told of it. */
  public void note(long index, KeyScope scope) {
    noted.computeIfAbsent(index, at -> new ArrayList<>(1)).add(scope);
    if (scope instanceof KeyScope.Keys keys) {
      for (Key key : keys.keys()) {
        highestOfKey.merge(key, index, Math::max);
      }
    } else {
      KeyRange range = ((KeyScope.Range) scope).range();
      ranges.computeIfAbsent(index, at -> new ArrayList<>(1)).add(range);
    }
  }

  /** Forgets everything up to {@code index}: the state holds it, or it will never come. */
  public void settle(long index) {
    ranges.headMap(index, true).clear();
    while (!noted.isEmpty() && noted.firstKey() <= index) {
      Map.Entry<Long, List<KeyScope>> oldest = noted.pollFirstEntry();
      for (KeyScope scope : oldest.getValue()) {
        if (scope instanceof KeyScope.Keys keys) {
          keys.keys().forEach(key -> highestOfKey.remove(key, oldest.getKey()));
        }
      }
    }
  }

  /** Forgets everything from {@code first} on: it was taken out of the log before it was agreed. */
  public void cut(long first) {
    if (noted.tailMap(first, true).isEmpty()) {
      return;
    }
    noted.tailMap(first, true).clear();
    ranges.tailMap(first, true).clear();
    highestOfKey.clear();
    noted.forEach(
        (index, scopes) ->
            scopes.forEach(
                scope -> {
                  if (scope instanceof KeyScope.Keys keys) {
                    keys.keys().forEach(key -> highestOfKey.put(key, index));
                  }
                }));
  }

  /**
   * The highest position at which something in {@code scope} may be written; {@link #NONE} if
   * nothing may. For a range it may be higher than needed, never lower.
   */
  public long highest(KeyScope scope) {
    if (noted.isEmpty()) {
      return NONE;
    }
    if (scope instanceof KeyScope.Range) {
      return noted.lastKey();
    }
    long highest = NONE;
    for (Key key : ((KeyScope.Keys) scope).keys()) {
      highest = Math.max(highest, highestOf(key));
    }
    return highest;
  }

  private long highestOf(Key key) {
    long highest = highestOfKey.getOrDefault(key, NONE);
    for (Map.Entry<Long, List<KeyRange>> at : ranges.tailMap(highest, false).entrySet()) {
      if (at.getValue().stream().anyMatch(range -> range.contains(key))) {
        highest = at.getKey();
      }
    }
    return highest;
  }
}
