package io.quorate.server.verification.history;

import java.util.Optional;

/** How values are shown to people. */
final class Texts {
  private static final int SHOWN_CHARACTERS = 40;

  private Texts() {}

  static String quoted(Optional<String> value) {
    return value.map(Texts::quoted).orElse("nothing");
  }

  /** The value in quotes; of a long one both ends. */
  static String quoted(String value) {
    if (value.length() <= SHOWN_CHARACTERS) {
      return '"' + value + '"';
    }
    int half = SHOWN_CHARACTERS / 2;
    return '"'
        + value.substring(0, half)
        + "\" ... \""
        + value.substring(value.length() - half)
        + '"';
  }
}
