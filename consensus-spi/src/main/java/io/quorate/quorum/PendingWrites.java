package io.quorate.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The pending writes of a replica: the keys that it has proposed or logged writes for and has not
 * applied, with their positions (Q1, L1). Holds the <em>highest</em> position of each key; with the
 * lowest, a read could miss a newer write.
 *
 * <p>The size is proportional to the number of scopes recorded above the settled position; the
 * caller bounds it. Not thread-safe: only the thread that owns the replica may call it.
 */
public final class PendingWrites {
  /** A value that no position has: there is no pending write. */
  public static final long NONE = -1;

  private final TreeMap<Long, List<KeyScope>> scopesByIndex = new TreeMap<>();
  private final TreeMap<Long, List<KeyRange>> rangesByIndex = new TreeMap<>();
  private final Map<Key, Long> highestIndexByKey = new HashMap<>();

  /**
   * Records that {@code index} may write {@code scope}. Every read reply that the replica takes
   * after it has sent a proposal or an acknowledgement of the write must find it recorded.
   */
  public void note(long index, KeyScope scope) {
    scopesByIndex.computeIfAbsent(index, at -> new ArrayList<>(1)).add(scope);
    if (scope instanceof KeyScope.Keys keys) {
      for (Key key : keys.keys()) {
        highestIndexByKey.merge(key, index, Math::max);
      }
    } else {
      KeyRange range = ((KeyScope.Range) scope).range();
      rangesByIndex.computeIfAbsent(index, at -> new ArrayList<>(1)).add(range);
    }
  }

  /**
   * Removes all writes up to {@code index}: each is applied, or will never be committed at its
   * position.
   */
  public void settle(long index) {
    rangesByIndex.headMap(index, true).clear();
    while (!scopesByIndex.isEmpty() && scopesByIndex.firstKey() <= index) {
      Map.Entry<Long, List<KeyScope>> oldest = scopesByIndex.pollFirstEntry();
      for (KeyScope scope : oldest.getValue()) {
        if (scope instanceof KeyScope.Keys keys) {
          keys.keys().forEach(key -> highestIndexByKey.remove(key, oldest.getKey()));
        }
      }
    }
  }

  /** Removes all writes at and above {@code first}, where the log was truncated before commit. */
  public void cut(long first) {
    if (scopesByIndex.tailMap(first, true).isEmpty()) {
      return;
    }
    scopesByIndex.tailMap(first, true).clear();
    rangesByIndex.tailMap(first, true).clear();
    highestIndexByKey.clear();
    scopesByIndex.forEach(
        (index, scopes) ->
            scopes.forEach(
                scope -> {
                  if (scope instanceof KeyScope.Keys keys) {
                    keys.keys().forEach(key -> highestIndexByKey.put(key, index));
                  }
                }));
  }

  /**
   * The highest position that may write a key of {@code scope}, or {@link #NONE} if there is none.
   * For a range it is the highest pending position of any key: an upper bound.
   */
  public long highest(KeyScope scope) {
    if (scopesByIndex.isEmpty()) {
      return NONE;
    }
    if (scope instanceof KeyScope.Range) {
      return scopesByIndex.lastKey();
    }
    long highest = NONE;
    for (Key key : ((KeyScope.Keys) scope).keys()) {
      highest = Math.max(highest, highestIndexOf(key));
    }
    return highest;
  }

  private long highestIndexOf(Key key) {
    long highest = highestIndexByKey.getOrDefault(key, NONE);
    for (Map.Entry<Long, List<KeyRange>> at : rangesByIndex.tailMap(highest, false).entrySet()) {
      if (at.getValue().stream().anyMatch(range -> range.contains(key))) {
        highest = at.getKey();
      }
    }
    return highest;
  }
}
