package io.quorate.consensus;

import java.util.List;

/** Which keys a read touches. An engine may use it to wait for less than everything. */
public sealed interface KeyScope {

  /** These keys and no others. */
  record Keys(List<Key> keys) implements KeyScope {
    public Keys {
      keys = List.copyOf(keys);
    }
  }

  /** Every key of a range. */
  record Range(KeyRange range) implements KeyScope {}

  static KeyScope key(Key key) {
    return new Keys(List.of(key));
  }

  static KeyScope range(KeyRange range) {
    return new Range(range);
  }
}
