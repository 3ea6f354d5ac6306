package io.quorate.consensus;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import java.util.List;

/**
 * The keys that a read touches or that a command may write. For a read, an engine may use it to
 * wait only for pending writes of these keys.
 */
public sealed interface KeyScope {

  /** Exactly these keys. */
  record Keys(List<Key> keys) implements KeyScope {
    public Keys {
      keys = List.copyOf(keys);
    }
  }

  /** All keys of a range. */
  record Range(KeyRange range) implements KeyScope {}

  static KeyScope key(Key key) {
    return new Keys(List.of(key));
  }

  static KeyScope range(KeyRange range) {
    return new Range(range);
  }
}
