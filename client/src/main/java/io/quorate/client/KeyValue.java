package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.common.Utf8;
import io.quorate.model.Key;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A key and its value. Two instances are equal if their bytes are equal.
 *
 * @param key the array itself, not a copy
 * @param value the array itself, not a copy
 */
public record KeyValue(byte[] key, byte[] value) {
  public KeyValue {
    Nulls.refuse(key, "key");
    Nulls.refuse(value, "value");
  }

  /**
   * Returns the key, decoded as UTF-8.
   *
   * @throws RefusedException if it is not UTF-8
   */
  public String keyText() {
    return decoded("key", key);
  }

  /**
   * Returns the value, decoded as UTF-8.
   *
   * @throws RefusedException if it is not UTF-8
   */
  public String valueText() {
    return decoded("value of key " + display(key), value);
  }

  private static String decoded(String what, byte[] bytes) {
    return Utf8.text(bytes)
        .orElseThrow(() -> new RefusedException("The " + what + " is not text in UTF-8."));
  }

  /** For people: what is not UTF-8 as a {@link Key} is shown. */
  static String display(byte[] bytes) {
    return Utf8.text(bytes).orElseGet(() -> Key.wrap(bytes).toString());
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof KeyValue that
        && Arrays.equals(key, that.key)
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    return display(key) + "=" + display(value);
  }
}
