package io.quorate.client;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Text as keys and values. */
final class Utf8 {
  private Utf8() {}

  static byte[] bytes(String text) {
    return Objects.requireNonNull(text, "A key, value or prefix must not be null.")
        .getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
