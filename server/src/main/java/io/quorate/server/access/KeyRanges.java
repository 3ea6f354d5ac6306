package io.quorate.server.access;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** A set of keys, as ranges without a key in common, in key order. Immutable. */
final class KeyRanges {
  static final KeyRanges NONE = new KeyRanges(List.of());

  /** Two neighbours have keys between them that are in neither. */
  private final List<KeyRange> ranges;

  private KeyRanges(List<KeyRange> ranges) {
    this.ranges = ranges;
  }

  /** The keys that are in any of these ranges. */
  static KeyRanges of(Collection<KeyRange> any) {
    List<KeyRange> joined = new ArrayList<>();
    any.stream()
        .filter(range -> !range.isEmpty())
        .sorted(Comparator.comparing(KeyRange::start))
        .forEach(range -> join(joined, range));
    return new KeyRanges(List.copyOf(joined));
  }

  /** Adds a range that starts at or after those before it. */
  private static void join(List<KeyRange> joined, KeyRange next) {
    int last = joined.size() - 1;
    if (last < 0) {
      joined.add(next);
      return;
    }
    KeyRange before = joined.get(last);
    Optional<Key> end = before.end();
    if (end.isPresent() && end.get().compareTo(next.start()) < 0) {
      joined.add(next);
    } else if (end.isPresent() && next.isBeforeEnd(end.get())) {
      joined.set(last, new KeyRange(before.start(), next.end()));
    }
  }

  KeyRanges and(KeyRanges others) {
    List<KeyRange> all = new ArrayList<>(ranges);
    all.addAll(others.ranges);
    return of(all);
  }

  boolean isEmpty() {
    return ranges.isEmpty();
  }

  boolean contains(Key key) {
    return holding(key).isPresent();
  }

  /**
   * Whether a range begins with a key of this set and has no other. A range without keys is not
   * covered wherever it is: which region serves it, tells a bound of regions.
   */
  boolean covers(KeyRange range) {
    return holding(range.start()).filter(each -> each.covers(range)).isPresent();
  }

  /** The lowest key of a range that is in this set. */
  Optional<Key> lowest(KeyRange range) {
    return ranges.stream()
        .map(range::intersect)
        .filter(common -> !common.isEmpty())
        .map(KeyRange::start)
        .findFirst();
  }

  private Optional<KeyRange> holding(Key key) {
    int low = 0;
    int high = ranges.size() - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      KeyRange range = ranges.get(middle);
      if (key.compareTo(range.start()) < 0) {
        high = middle - 1;
      } else if (range.isBeforeEnd(key)) {
        return Optional.of(range);
      } else {
        low = middle + 1;
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return ranges.toString();
  }
}
