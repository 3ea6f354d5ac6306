package io.quorate.client.cli;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/** How keys and values look on a terminal. */
final class Rendering {
  private Rendering() {}

  /** Two hexadecimal digits a byte. */
  static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Whether the bytes are UTF-8 text with nothing in it that would upset a terminal. */
  static boolean isText(byte[] bytes) {
    return decode(bytes)
        .map(
            text ->
                text.codePoints()
                    .allMatch(c -> !Character.isISOControl(c) || c == '\n' || c == '\t'))
        .orElse(false);
  }

  /**
   * One line, whatever the bytes are: UTF-8 text as it is, a backslash as two, and everything else
   * as {@code \xNN} for each byte.
   */
  static String line(byte[] bytes) {
    StringBuilder line = new StringBuilder(bytes.length);
    Optional<String> text = decode(bytes);
    if (text.isPresent()) {
      text.get().codePoints().forEach(character -> append(line, character));
    } else {
      for (byte b : bytes) {
        if (b >= 0) {
          append(line, b);
        } else {
          escape(line, b);
        }
      }
    }
    return line.toString();
  }

  private static void append(StringBuilder line, int character) {
    if (character == '\\') {
      line.append("\\\\");
    } else if (Character.isISOControl(character)) {
      for (byte b : Character.toString(character).getBytes(StandardCharsets.UTF_8)) {
        escape(line, b);
      }
    } else {
      line.appendCodePoint(character);
    }
  }

  private static void escape(StringBuilder line, byte b) {
    line.append("\\x").append(HexFormat.of().toHexDigits(b));
  }

  private static Optional<String> decode(byte[] bytes) {
    try {
      CharBuffer text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
      return Optional.of(text.toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }
}
