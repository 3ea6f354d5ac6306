package io.quorate.client;

import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Encodes and decodes keys and values that are text. */
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
