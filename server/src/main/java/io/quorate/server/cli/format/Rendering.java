package io.quorate.server.cli.format;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;

/** Encodes keys and values for a terminal. */
public final class Rendering {
  private Rendering() {}

  /** Two hexadecimal digits per byte. */
  public static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }

  /** Whether the bytes are UTF-8 text without control characters other than line feed and tab. */
  public static boolean isText(byte[] bytes) {
    return decode(bytes)
        .map(
            text ->
                text.codePoints()
                    .allMatch(c -> !Character.isISOControl(c) || c == '\n' || c == '\t'))
        .orElse(false);
  }

  /**
   * Encodes any bytes on one line: UTF-8 text literally, a backslash as two, and all else as {@code
   * \xNN} per byte.
   */
  public static String line(byte[] bytes) {
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
