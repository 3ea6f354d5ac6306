package io.quorate.torture.history;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A flat JSON object: strings, integers, booleans, null, and arrays of strings and nulls. The take
 * methods remove the field that they return, so that the fields that remain at the end are unknown
 * ones.
 */
final class JsonObject {
  /** By name, as {@link FlatJson} describes them. */
  private final Map<String, Object> fields;

  JsonObject() {
    this(new LinkedHashMap<>());
  }

  private JsonObject(Map<String, Object> fields) {
    this.fields = fields;
  }

  /**
   * @throws MalformedHistoryException if the text is not exactly one such object
   */
  static JsonObject parse(String text) {
    return new JsonObject(FlatJson.read(text));
  }

  JsonObject with(String name, String text) {
    return with(name, Optional.of(text));
  }

  JsonObject with(String name, Optional<String> text) {
    fields.put(name, text);
    return this;
  }

  JsonObject with(String name, long number) {
    fields.put(name, number);
    return this;
  }

  JsonObject with(String name, boolean flag) {
    fields.put(name, flag);
    return this;
  }

  JsonObject with(String name, List<Optional<String>> texts) {
    fields.put(name, List.copyOf(texts));
    return this;
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

  /** The object in one line. */
  @Override
  public String toString() {
    return FlatJson.write(fields);
  }
}
