package io.quorate.torture.history;

import java.util.Optional;

/** Formats values for messages. */
final class Texts {
  private static final int CHARACTERS_MAX = 40;

  private Texts() {}

  static String quoted(Optional<String> value) {
    return value.map(Texts::quoted).orElse("nothing");
  }

  /** The value in quotes; of a long value only its two ends. */
  static String quoted(String value) {
    if (value.length() <= CHARACTERS_MAX) {
      return '"' + value + '"';
    }
    int half = CHARACTERS_MAX / 2;
    return '"'
        + value.substring(0, half)
        + "\" ... \""
        + value.substring(value.length() - half)
        + '"';
  }
}
