package io.quorate.common;

/** The full stops of messages, which are put together from phrases and sentences. */
public final class Sentences {
  private Sentences() {}

  /** Without a full stop at the end. */
  public static String phrase(String text) {
    return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
  }

  /** With one full stop at the end. */
  public static String sentence(String text) {
    return phrase(text) + ".";
  }
}
