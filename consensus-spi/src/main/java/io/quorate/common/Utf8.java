package io.quorate.common;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Encodes and decodes keys and values that are text. What cannot be encoded or decoded is refused:
 * if it was replaced, different texts would be the same bytes, and different bytes the same text.
 */
public final class Utf8 {
  /** What a decoder puts in the place of bytes that it cannot decode; it may also be encoded. */
  private static final char REPLACEMENT = '\uFFFD';

  private Utf8() {}

  /**
   * The bytes of a text.
   *
   * @throws IllegalArgumentException if the text has half of a surrogate pair
   */
  public static byte[] bytes(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (Character.isSurrogate(text.charAt(i))) {
        // Of two characters if it begins with a pair.
        if (!Character.isSupplementaryCodePoint(text.codePointAt(i))) {
          throw new IllegalArgumentException(
              "A text has half of a surrogate pair, at index "
                  + i
                  + ", which UTF-8 cannot encode.");
        }
        i++;
      }
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** The text that bytes denote; empty if they are not UTF-8. */
  public static Optional<String> text(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    return text.indexOf(REPLACEMENT) < 0 || isUtf8(bytes) ? Optional.of(text) : Optional.empty();
  }

  private static boolean isUtf8(byte[] bytes) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
