package io.quorate.client;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * A key and its value. Two instances are equal if their bytes are equal.
 *
 * @param key the array itself, not a copy
 * @param value the array itself, not a copy
 */
public record KeyValue(byte[] key, byte[] value) {
  /** Returns the key, decoded as UTF-8. */
  public String keyText() {
    return new String(key, StandardCharsets.UTF_8);
  }

  /** Returns the value, decoded as UTF-8. */
  public String valueText() {
    return new String(value, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
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
    return keyText() + "=" + valueText();
  }
}
