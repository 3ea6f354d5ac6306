package io.quorate.client.cli;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** How the bytes of keys and values are written in arguments, and in lines of files. */
enum Notation {
  /**
   * UTF-8 text. An argument is taken literally. In a line {@code \xNN} stands for a byte, and two
   * backslashes for one; see {@link Rendering#line}.
   */
  TEXT,
  /** Two hexadecimal digits for each byte, in arguments and in lines. */
  HEX;

  /** What an argument is decoded to where the locale cannot represent its bytes. */
  private static final int REPLACEMENT_CHARACTER = 0xfffd;

  static Notation of(boolean hex) {
    return hex ? HEX : TEXT;
  }

  /**
   * The bytes that an argument stands for.
   *
   * <p>The JVM decodes arguments by the locale before the program sees them. Bytes that the locale
   * does not know become U+FFFD, so that different keys would become the same one. Such an argument
   * is refused, and so is one with a surrogate that has no pair, which UTF-8 cannot represent.
   *
   * @throws IllegalArgumentException if the argument stands for no bytes; the message is the rest
   *     of a sentence about it
   */
  byte[] parse(String argument) {
    if (this == HEX) {
      try {
        return HexFormat.of().parseHex(argument);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "is not pairs of hexadecimal digits, which --hex requires", e);
      }
    }
    if (argument.codePoints().anyMatch(Notation::isUndecoded)) {
      throw new IllegalArgumentException(
          "has characters that could not be decoded (U+FFFD); set LC_ALL=C.UTF-8, or use --hex and"
              + " give the bytes in hexadecimal digits");
    }
    return argument.getBytes(StandardCharsets.UTF_8);
  }

  /** The bytes as a part of one line that holds no tab. */
  String line(byte[] bytes) {
    return this == HEX ? Rendering.hex(bytes) : Rendering.line(bytes);
  }

  private static boolean isUndecoded(int codePoint) {
    return codePoint == REPLACEMENT_CHARACTER
        || Character.getType(codePoint) == Character.SURROGATE;
  }
}
