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
 * A flat JSON object that was read: strings, integers, booleans, null, and arrays of strings and
 * nulls. The take methods remove the field that they return, so that the fields that remain at the
 * end are unknown ones.
 */
final class FlatObject {
  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(JsonWriteFeature.ESCAPE_NON_ASCII)
          .disable(JsonWriteFeature.WRITE_HEX_UPPER_CASE)
          .characterEscapes(new NumericEscapes())
          .build();

  /** Jackson adds where an object began, which is in the same line. */
  private static final String START_MARKER = " \\(start marker";

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

  /** By name: an Optional of String, a Long, a Boolean, or a List of Optional of String. */
  private final Map<String, Object> fields;

  private FlatObject(Map<String, Object> fields) {
    this.fields = fields;
  }

  /** Writes ASCII characters without white space. The caller closes it. */
  static JsonGenerator writer(StringWriter to) {
    return JSON.createGenerator(ObjectWriteContext.empty(), to);
  }

  /**
   * @throws MalformedHistoryException if the text is not exactly one such object
   */
  static FlatObject read(String text) {
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
      return new FlatObject(fields);
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

  String takeText(String name) {
    return takeOptionalText(name)
        .orElseThrow(
            () -> new MalformedHistoryException("Field \"" + name + "\" is a text, not null"));
  }

  Optional<String> takeOptionalText(String name) {
    if (take(name) instanceof Optional<?> text) {
      return text.map(String.class::cast);
    }
    throw new MalformedHistoryException("Field \"" + name + "\" is a text or null");
  }

  long takeNumber(String name) {
    if (take(name) instanceof Long number) {
      return number;
    }
    throw new MalformedHistoryException("Field \"" + name + "\" is a whole number");
  }

  boolean takeFlag(String name) {
    if (take(name) instanceof Boolean flag) {
      return flag;
    }
    throw new MalformedHistoryException("Field \"" + name + "\" is true or false");
  }

  List<Optional<String>> takeTexts(String name) {
    if (take(name) instanceof List<?> texts) {
      List<Optional<String>> all = new ArrayList<>();
      for (Object text : texts) {
        all.add(((Optional<?>) text).map(String.class::cast));
      }
      return all;
    }
    throw new MalformedHistoryException("Field \"" + name + "\" is an array of texts and nulls");
  }

  boolean has(String name) {
    return fields.containsKey(name);
  }

  /**
   * @throws MalformedHistoryException if a field was not taken
   */
  void requireEmpty() {
    if (!fields.isEmpty()) {
      throw new MalformedHistoryException(
          "Field \"" + fields.keySet().iterator().next() + "\" does not belong here");
    }
  }

  private Object take(String name) {
    Object value = fields.remove(name);
    if (value == null) {
      throw new MalformedHistoryException("Field \"" + name + "\" is missing");
    }
    return value;
  }
}
