package io.quorate.storage.merge;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.NavigableMap;

/** The keys of the model: numbers from 1. */
final class ModelKeys {
  static final int COUNT = 8;

  private static final Key[] KEYS = new Key[COUNT + 1];

  static {
    for (int number = 1; number <= COUNT; number++) {
      KEYS[number] = Key.wrap(new byte[] {(byte) number});
    }
  }

  private ModelKeys() {}

  static Key key(int number) {
    return KEYS[number];
  }

  /** The number of a key; 0 for the empty one, at which the first region begins. */
  static int number(Key key) {
    return key.isEmpty() ? 0 : key.bytes()[0];
  }

  /** The rows of a range, as a view. */
  static NavigableMap<Key, Long> in(NavigableMap<Key, Long> rows, KeyRange range) {
    return range.end().isPresent()
        ? rows.subMap(range.start(), true, range.end().get(), false)
        : rows.tailMap(range.start(), true);
  }
}
