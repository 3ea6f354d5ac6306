package io.quorate.protocol.operation;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.Comparator;

/** The order in which a scan returns the rows of its range. */
public enum ScanOrder implements Comparator<Key> {
  /** From the lowest key upwards. */
  FORWARD {
    @Override
    public int compare(Key one, Key other) {
      return one.compareTo(other);
    }

    @Override
    public Key firstKey(KeyRange range) {
      return range.start();
    }

    @Override
    public Key boundAfter(Key last) {
      return last.next(Limits.KEY_BYTES_MAX);
    }

    @Override
    public KeyRange rest(KeyRange range, Key bound) {
      return new KeyRange(bound, range.end());
    }
  },

  /** From the highest key downwards. */
  REVERSE {
    @Override
    public int compare(Key one, Key other) {
      return other.compareTo(one);
    }

    @Override
    public Key firstKey(KeyRange range) {
      return range
          .end()
          .map(end -> end.isEmpty() ? end : end.previous(Limits.KEY_BYTES_MAX))
          .orElseGet(() -> Key.highest(Limits.KEY_BYTES_MAX));
    }

    @Override
    public Key boundAfter(Key last) {
      return last;
    }

    @Override
    public KeyRange rest(KeyRange range, Key bound) {
      return KeyRange.of(range.start(), bound);
    }
  };

  /**
   * The key of a range with which a scan starts, if there is a row with that key. It determines the
   * region that is read first.
   *
   * @param range its end has at most {@link Limits#KEY_BYTES_MAX} bytes
   */
  public abstract Key firstKey(KeyRange range);

  /**
   * The bound of the keys that follow a row: their start, or in reverse order their end.
   *
   * @param last a key that others follow
   */
  public abstract Key boundAfter(Key last);

  /** The part of a range that remains from such a bound on. */
  public abstract KeyRange rest(KeyRange range, Key bound);
}
