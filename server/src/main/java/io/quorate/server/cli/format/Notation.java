package io.quorate.server.cli.format;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** The encodings of keys and values in arguments and in lines of files. */
public enum Notation {
  /**
   * UTF-8 text. An argument is taken literally. In a line {@code \xNN} stands for a byte, and two
   * backslashes for one; see {@link Rendering#line}.
   */
  TEXT,
  /** Two hexadecimal digits for each byte, in arguments and in lines. */
  HEX;

  /**
   * The character that the JVM substitutes for bytes that are invalid in the charset of the locale.
   */
  private static final int REPLACEMENT_CHARACTER = 0xfffd;

  public static Notation of(boolean hex) {
    return hex ? HEX : TEXT;
  }

  /**
   * Decodes an argument to bytes.
   *
   * <p>The JVM decodes arguments with the charset of the locale before the program receives them.
   * Bytes that are invalid in this charset become U+FFFD, which would make different keys equal.
   * Such an argument is rejected, and so is one with an unpaired surrogate, which UTF-8 cannot
   * represent.
   *
   * @throws IllegalArgumentException if the argument cannot be decoded; the message is the
   *     predicate of a sentence about the argument
   */
  public byte[] parse(String argument) {
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

  /** Encodes bytes as text without line feeds and tabs. */
  public String line(byte[] bytes) {
    return this == HEX ? Rendering.hex(bytes) : Rendering.line(bytes);
  }

  private static boolean isUndecoded(int codePoint) {
    return codePoint == REPLACEMENT_CHARACTER
        || Character.getType(codePoint) == Character.SURROGATE;
  }
}
