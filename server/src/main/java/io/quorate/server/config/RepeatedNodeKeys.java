package io.quorate.server.config;

import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * Finds a key that is given twice in an element of a list {@code nodes}, in the text of a HOCON
 * configuration that can be parsed. HOCON merges {@code { id = n1 } { id = n2 }} on one line into
 * one object, with the keys of the last one, and the parser does not tell that there were two: a
 * cluster of three nodes would be one of a single node, which serves.
 *
 * <p>A key that is overridden by a substitution, as {@code host = ${?HOST}}, or that comes from
 * one, is not repeated. Files that are included are not read.
 */
final class RepeatedNodeKeys {
  private static final String LIST = "nodes";
  private static final char END = '\0';

  /** The value of a key is a substitution. */
  private static final String SUBSTITUTION = "${";

  /**
   * A repeated key.
   *
   * @param line of its second occurrence, from 1
   */
  record Repeated(String key, int line) {}

  private final String text;
  private int at;
  private int line = 1;
  private Optional<Repeated> found = Optional.empty();

  private RepeatedNodeKeys(String text) {
    this.text = text;
  }

  /** The first repeated key, if there is any. */
  static Optional<Repeated> in(String hocon) {
    RepeatedNodeKeys scan = new RepeatedNodeKeys(hocon);
    scan.skipBlank();
    if (scan.peek() == '{') {
      scan.next();
    }
    scan.object(Optional.empty());
    return scan.found;
  }

  /**
   * Reads the fields of an object, with its closing brace.
   *
   * @param keys those that the element of the list {@code nodes} has already; empty if the object
   *     is in no such element
   */
  private void object(Optional<Set<String>> keys) {
    while (found.isEmpty()) {
      skipSeparators();
      if (peek() == END || peek() == '}') {
        next();
        return;
      }
      int lineOfKey = line;
      String key = key();
      skipBlank();
      if (peek() == '+') {
        next();
      }
      if (peek() == '=' || peek() == ':') {
        next();
        skipBlank();
      }
      boolean isSubstitution = text.startsWith(SUBSTITUTION, at);
      if (keys.isPresent() && !isSubstitution && !keys.get().add(key)) {
        found = Optional.of(new Repeated(key, lineOfKey));
        return;
      }
      value(key.equals(LIST) || key.endsWith("." + LIST), Optional.empty());
    }
  }

  /**
   * Reads a value, which may be of several parts beside each other.
   *
   * @param isNodes whether a list is that of the nodes
   * @param keys of the element that the value is, as for {@link #object}
   */
  private void value(boolean isNodes, Optional<Set<String>> keys) {
    while (found.isEmpty()) {
      skipInLine();
      switch (peek()) {
        case END, '\n', ',', '}', ']' -> {
          return;
        }
        case '{' -> {
          next();
          object(keys);
        }
        case '[' -> {
          next();
          list(isNodes);
        }
        case '"' -> string();
        case '$' -> substitution();
        default -> next();
      }
    }
  }

  private void list(boolean isNodes) {
    while (found.isEmpty()) {
      skipSeparators();
      if (peek() == END || peek() == ']') {
        next();
        return;
      }
      int before = at;
      value(false, isNodes ? Optional.of(new HashSet<>()) : Optional.empty());
      if (at == before) {
        next();
      }
    }
  }

  private String key() {
    StringBuilder key = new StringBuilder();
    while (peek() != END && "=:+{},\n".indexOf(peek()) < 0 && !isComment()) {
      if (peek() == '"') {
        key.append(string());
      } else {
        key.append(peek());
        next();
      }
    }
    if (key.isEmpty() && peek() != '{' && peek() != END) {
      next();
    }
    return key.toString().strip();
  }

  private String string() {
    int begin = at;
    boolean isLong = text.startsWith("\"\"\"", at);
    String quote = isLong ? "\"\"\"" : "\"";
    advance(quote.length());
    while (peek() != END && !text.startsWith(quote, at)) {
      advance(!isLong && peek() == '\\' ? 2 : 1);
    }
    advance(quote.length());
    while (isLong && peek() == '"') {
      next();
    }
    int end = Math.max(begin + quote.length(), at - quote.length());
    return text.substring(begin + quote.length(), end);
  }

  private void substitution() {
    next();
    if (peek() == '{') {
      while (peek() != END && peek() != '}') {
        next();
      }
      next();
    }
  }

  /** Blanks, comments, commas and ends of lines. */
  private void skipSeparators() {
    skipBlank();
    while (peek() == ',') {
      next();
      skipBlank();
    }
  }

  /** Blanks, comments and ends of lines. */
  private void skipBlank() {
    skipInLine();
    while (peek() == '\n') {
      next();
      skipInLine();
    }
  }

  /** Blanks and comments. */
  private void skipInLine() {
    while (peek() != END && peek() != '\n' && (isBlank(peek()) || isComment())) {
      if (isComment()) {
        while (peek() != END && peek() != '\n') {
          next();
        }
      } else {
        next();
      }
    }
  }

  private static boolean isBlank(char character) {
    return Character.isWhitespace(character) || character == '\u00a0' || character == '\ufeff';
  }

  private boolean isComment() {
    return peek() == '#' || text.startsWith("//", at);
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : END;
  }

  private void next() {
    advance(1);
  }

  private void advance(int characters) {
    for (int i = 0; i < characters && at < text.length(); i++) {
      if (text.charAt(at) == '\n') {
        line++;
      }
      at++;
    }
  }
}
