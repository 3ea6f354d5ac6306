package io.quorate.server.cli.format;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Writes maps, lists, strings, numbers, booleans and optionals as JSON. */
public final class JsonText {
  private JsonText() {}

  /**
   * @param value a map with strings as keys, a list, a string, a number, a boolean, or an optional
   *     of one of them; an empty optional becomes null
   */
  public static String of(Object value) {
    StringBuilder json = new StringBuilder();
    append(json, value, "\n");
    return json.toString();
  }

  /** Like {@link #of}, but on one line. */
  public static String line(Object value) {
    StringBuilder json = new StringBuilder();
    append(json, value, "");
    return json.toString();
  }

  /**
   * @param indent a line feed and the indentation of the current line; empty for output on one line
   */
  private static void append(StringBuilder json, Object value, String indent) {
    String deeper = indent.isEmpty() ? "" : indent + "  ";
    if (value instanceof Map<?, ?> map) {
      String separator = "{";
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.append(separator).append(deeper);
        quote(json, entry.getKey().toString());
        json.append(": ");
        append(json, entry.getValue(), deeper);
        separator = indent.isEmpty() ? ", " : ",";
      }
      json.append(map.isEmpty() ? "{}" : indent + "}");
    } else if (value instanceof List<?> list) {
      String separator = "[";
      for (Object element : list) {
        json.append(separator).append(deeper);
        append(json, element, deeper);
        separator = indent.isEmpty() ? ", " : ",";
      }
      json.append(list.isEmpty() ? "[]" : indent + "]");
    } else if (value instanceof Optional<?> optional) {
      if (optional.isPresent()) {
        append(json, optional.get(), indent);
      } else {
        json.append("null");
      }
    } else if (value instanceof Number || value instanceof Boolean) {
      json.append(value);
    } else {
      quote(json, value.toString());
    }
  }

  private static void quote(StringBuilder json, String text) {
    json.append('"');
    text.chars()
        .forEach(
            c -> {
              if (c == '"' || c == '\\') {
                json.append('\\').append((char) c);
              } else if (c < 0x20) {
                json.append(String.format(Locale.ROOT, "\\u%04x", c));
              } else {
                json.append((char) c);
              }
            });
    json.append('"');
  }
}
