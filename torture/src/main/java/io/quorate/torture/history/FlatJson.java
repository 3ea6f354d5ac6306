package io.quorate.torture.history;

import java.io.StringWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.SerializableString;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.io.CharacterEscapes;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.json.JsonWriteFeature;

/**
 * Reads and writes one flat JSON object, with Jackson's streaming interface. Its fields are an
 * Optional of String, a Long, a Boolean, or a List of Optional of String.
 */
final class FlatJson {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .characterEscapes(new NumericEscapes())
          .build();

  /** Jackson adds where an object began, which is in the same line. */
  private static final String START_MARKER = " \\(start marker";

  private FlatJson() {}

  /**
   * Escapes control characters by their numbers, and not by letters such as that of a line feed.
   */
  private static final class NumericEscapes extends CharacterEscapes {
    private static final long serialVersionUID = 1;
    private static final int DELETE = 0x7f;

    private final int[] escapes = standardAsciiEscapesForJSON();

    NumericEscapes() {
      for (int c = 0; c < ' '; c++) {
        escapes[c] = ESCAPE_STANDARD;
      }
      escapes[DELETE] = ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
      return escapes;
    }

    @Override
    public SerializableString getEscapeSequence(int character) {
      return null;
    }
  }

  /**
   * @throws MalformedHistoryException if the text is not exactly one such object
   */
  static Map<String, Object> read(String text) {
    try (JsonParser from = JSON.createParser(ObjectReadContext.empty(), text)) {
      if (from.nextToken() != JsonToken.START_OBJECT) {
        throw malformed(from.currentTokenLocation(), "an object is expected");
      }
      Map<String, Object> fields = new LinkedHashMap<>();
      while (from.nextToken() == JsonToken.PROPERTY_NAME) {
        String name = from.currentName();
        from.nextToken();
        fields.put(name, value(from));
      }
      if (from.nextToken() != null) {
        throw malformed(from.currentTokenLocation(), "text follows the object");
      }
      return fields;
    } catch (JacksonException e) {
      throw malformed(e.getLocation(), e.getOriginalMessage().split(START_MARKER, 2)[0]);
    }
  }

  private static Object value(JsonParser from) {
    return switch (from.currentToken()) {
      case START_ARRAY -> texts(from);
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NUMBER_INT -> from.getLongValue();
      default -> textOrNull(from);
    };
  }

  private static List<Optional<String>> texts(JsonParser from) {
    List<Optional<String>> texts = new ArrayList<>();
    while (from.nextToken() != JsonToken.END_ARRAY) {
      texts.add(textOrNull(from));
    }
    return texts;
  }

  private static Optional<String> textOrNull(JsonParser from) {
    return switch (from.currentToken()) {
      case VALUE_STRING -> Optional.of(from.getString());
      case VALUE_NULL -> Optional.empty();
      default -> throw malformed(from.currentTokenLocation(), "a field has no value of this kind");
    };
  }

  private static MalformedHistoryException malformed(TokenStreamLocation at, String what) {
    return new MalformedHistoryException(
        "At character " + Math.max(1, at.getColumnNr()) + ": " + what);
  }

  /** The object in one line of ASCII characters. */
  static String write(Map<String, Object> fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator to = JSON.createGenerator(ObjectWriteContext.empty(), text)) {
      to.writeStartObject();
      fields.forEach(
          (name, value) -> {
            to.writeName(name);
            write(value, to);
          });
      to.writeEndObject();
    }
    return text.toString();
  }

  private static void write(Object value, JsonGenerator to) {
    if (value instanceof Optional<?> text) {
      if (text.isPresent()) {
        to.writeString((String) text.get());
      } else {
        to.writeNull();
      }
    } else if (value instanceof List<?> texts) {
      to.writeStartArray();
      texts.forEach(text -> write(text, to));
      to.writeEndArray();
    } else if (value instanceof Boolean flag) {
      to.writeBoolean(flag);
    } else {
      to.writeNumber((Long) value);
    }
  }
}
