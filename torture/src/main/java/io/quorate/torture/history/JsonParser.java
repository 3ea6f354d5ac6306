package io.quorate.torture.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Parses a text that consists of one flat JSON object. */
final class JsonParser {
  private final String text;
  private int position;

  JsonParser(String text) {
    this.text = text;
  }

  Map<String, Object> object() {
    Map<String, Object> fields = new LinkedHashMap<>();
    expect('{');
    if (!skip('}')) {
      do {
        String name = string();
        expect(':');
        if (fields.put(name, value()) != null) {
          throw malformed("field \"" + name + "\" is repeated");
        }
      } while (skip(','));
      expect('}');
    }
    if (peek() != 0) {
      throw malformed("text follows the object");
    }
    return fields;
  }

  private Object value() {
    char c = peek();
    if (c == '[') {
      return array();
    } else if (c == 't') {
      return word("true", Boolean.TRUE);
    } else if (c == 'f') {
      return word("false", Boolean.FALSE);
    } else if (c == '-' || c >= '0' && c <= '9') {
      return number();
    }
    return textOrNull();
  }

  private List<Optional<String>> array() {
    List<Optional<String>> texts = new ArrayList<>();
    expect('[');
    if (!skip(']')) {
      do {
        texts.add(textOrNull());
      } while (skip(','));
      expect(']');
    }
    return texts;
  }

  private Optional<String> textOrNull() {
    return peek() == 'n' ? word("null", Optional.empty()) : Optional.of(string());
  }

  private <T> T word(String word, T meaning) {
    if (!text.startsWith(word, position)) {
      throw malformed("a value is expected");
    }
    position += word.length();
    return meaning;
  }

  private Long number() {
    int start = position;
    if (text.charAt(position) == '-') {
      position++;
    }
    int digits = position;
    while (position < text.length()
        && text.charAt(position) >= '0'
        && text.charAt(position) <= '9') {
      position++;
    }
    if (text.charAt(Math.min(digits, text.length() - 1)) == '0' && position > digits + 1) {
      throw malformed("a number has a leading zero");
    }
    try {
      return Long.valueOf(text.substring(start, position));
    } catch (NumberFormatException e) {
      throw malformed("a whole number of 64 bits is expected");
    }
  }

  private String string() {
    expect('"');
    StringBuilder to = new StringBuilder();
    while (true) {
      char c = next();
      if (c == '"') {
        return to.toString();
      } else if (c < 0x20) {
        throw malformed("a control character is not escaped as \\uNNNN");
      }
      to.append(c == '\\' ? escaped() : c);
    }
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> codeUnit();
      default -> throw malformed("there is no escape \\" + c);
    };
  }

  private char codeUnit() {
    int unit = 0;
    for (int i = 0; i < 4; i++) {
      char c = next();
      int digit = c < 0x80 ? Character.digit(c, 16) : -1;
      if (digit < 0) {
        throw malformed("\\u is followed by four hexadecimal digits");
      }
      unit = unit << 4 | digit;
    }
    return (char) unit;
  }

  private char next() {
    if (position == text.length()) {
      throw malformed("a string is not terminated");
    }
    return text.charAt(position++);
  }

  /** Skips white space and returns the next character without consuming it; 0 if there is none. */
  private char peek() {
    while (position < text.length()
        && (text.charAt(position) == ' ' || text.charAt(position) == '\t')) {
      position++;
    }
    return position < text.length() ? text.charAt(position) : 0;
  }

  private boolean skip(char c) {
    if (peek() != c) {
      return false;
    }
    position++;
    return true;
  }

  private void expect(char c) {
    if (!skip(c)) {
      throw malformed("'" + c + "' is expected");
    }
  }

  private MalformedHistoryException malformed(String what) {
    return new MalformedHistoryException("At character " + (position + 1) + ": " + what);
  }
}
