package io.quorate.server.placement;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Where a region is to be split. Pure. */
public final class SplitKey {
  /** Fewer keys do not show how the requests are distributed. */
  private static final int SAMPLE_MIN = 32;

  /** Each part receives at least this part of the requests; otherwise a split gains little. */
  private static final int SHARE_DIVISOR = 4;

  private SplitKey() {}

  /**
   * The key that divides the requests to a region in parts of about equal number; empty if none
   * does, such as when most of them are for one key.
   *
   * @param requested the keys of some requests
   * @param prefixEnd as that of {@link #near}
   */
  public static Optional<Key> dividing(List<Key> requested, KeyRange range, Key prefixEnd) {
    if (requested.size() < SAMPLE_MIN) {
      return Optional.empty();
    }
    Key middle = requested.stream().sorted().skip(requested.size() / 2).findFirst().orElseThrow();
    return near(middle, range, prefixEnd)
        .filter(
            key -> {
              long below = requested.stream().filter(each -> each.compareTo(key) < 0).count();
              return Math.min(below, requested.size() - below) * SHARE_DIVISOR >= requested.size();
            });
  }

  /**
   * The key nearest to the middle of a region at which it may be split; empty if all its keys have
   * the same prefix.
   *
   * @param middle a key of the region
   * @param prefixEnd what ends the prefix of a key: keys with the same one stay together. Empty if
   *     keys have none
   */
  public static Optional<Key> near(Key middle, KeyRange range, Key prefixEnd) {
    Key prefix = prefix(middle, prefixEnd);
    if (prefix.compareTo(range.start()) > 0) {
      return Optional.of(prefix).filter(range::contains);
    }
    if (prefix.equals(middle)) {
      return Optional.empty();
    }
    // The region begins within the keys of this prefix: the next possible place is after them.
    return KeyRange.ofPrefix(prefix).end().filter(range::contains);
  }

  /** The beginning of a key up to the end of its prefix; the whole key if that does not end. */
  private static Key prefix(Key key, Key end) {
    if (end.isEmpty()) {
      return key;
    }
    byte[] bytes = key.bytes();
    byte[] sought = end.bytes();
    for (int after = sought.length; after <= bytes.length; after++) {
      if (Arrays.equals(bytes, after - sought.length, after, sought, 0, sought.length)) {
        return Key.wrap(Arrays.copyOf(bytes, after));
      }
    }
    return key;
  }
}
