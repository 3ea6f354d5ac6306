package io.quorate.server.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.quorate.consensus.EngineSettings;
import io.quorate.consensus.SettingException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * One section of the configuration, read key by key. What nobody has asked for by the time of
 * {@link #requireAllRead} is an unknown key.
 */
final class Section {
  private final String path;
  private final ConfigObject object;
  private final Set<String> read = new TreeSet<>();
  private final Set<String> documented;

  /**
   * @param path the section's full name, for messages; empty for the whole file
   * @param documented collects the full name of every key that is asked for
   */
  Section(String path, ConfigObject object, Set<String> documented) {
    this.path = path;
    this.object = object;
    this.documented = documented;
  }

  String path() {
    return path;
  }

  /** The names of the sections and keys directly below this one. */
  Set<String> names() {
    return object.keySet();
  }

  /** A section below this one; empty if it is not there. */
  Section section(String name) {
    read.add(name);
    ConfigValue value = object.get(name);
    if (value == null) {
      return new Section(full(name), ConfigFactory.empty().root(), documented);
    }
    if (value instanceof ConfigObject below) {
      return new Section(full(name), below, documented);
    }
    throw new ConfigException(full(name) + " is a section in braces, not a value.");
  }

  /** A list of sections, each read as {@code path[]}. */
  List<Section> sections(String name) {
    List<Section> sections = new ArrayList<>();
    for (ConfigValue value : list(name)) {
      if (!(value instanceof ConfigObject below)) {
        throw new ConfigException(full(name) + " is a list of sections in braces.");
      }
      sections.add(new Section(full(name) + "[]", below, documented));
    }
    return sections;
  }

  /** A list of texts; empty if the key is not there. */
  List<String> texts(String name) {
    documented.add(full(name));
    List<String> texts = new ArrayList<>();
    for (ConfigValue value : list(name)) {
      texts.add(text(name, value));
    }
    return texts;
  }

  Optional<String> optionalText(String name) {
    read.add(name);
    documented.add(full(name));
    return Optional.ofNullable(object.get(name)).map(value -> text(name, value));
  }

  String text(String name) {
    return optionalText(name)
        .orElseThrow(
            () ->
                new ConfigException(
                    "Key "
                        + full(name)
                        + " is missing"
                        + mistyped(name)
                            .map(other -> "; did you mean it by " + full(other) + "?")
                            .orElse(".")));
  }

  /** A key that nobody has read and that has the same letters, or all of them but one. */
  private Optional<String> mistyped(String name) {
    return object.keySet().stream()
        .filter(key -> !read.contains(key))
        .filter(key -> missingLetters(name, key) + missingLetters(key, name) <= 2)
        .findFirst();
  }

  /** How many letters of a text are not in the other. */
  private static int missingLetters(String of, String in) {
    StringBuilder left = new StringBuilder(in);
    int missing = 0;
    for (char letter : of.toCharArray()) {
      int at = left.indexOf(String.valueOf(letter));
      if (at < 0) {
        missing++;
      } else {
        left.deleteCharAt(at);
      }
    }
    return missing;
  }

  /** A required value of a type whose factory refuses bad texts by IllegalArgumentException. */
  <T> T text(String name, Function<String, T> type) {
    try {
      return type.apply(text(name));
    } catch (IllegalArgumentException e) {
      throw new ConfigException("Key " + full(name) + " cannot be used: " + e.getMessage() + ".");
    }
  }

  <E extends Enum<E>> E oneOf(String name, Class<E> type, E otherwise) {
    Optional<String> text = optionalText(name);
    if (text.isEmpty()) {
      return otherwise;
    }
    List<String> known = new ArrayList<>();
    for (E constant : EnumSet.allOf(type)) {
      if (Knobs.text(constant).equals(text.get())) {
        return constant;
      }
      known.add(Knobs.text(constant));
    }
    throw new ConfigException(
        "Key " + full(name) + " is one of " + known + "; it was \"" + text.get() + "\".");
  }

  boolean bool(String name, boolean otherwise) {
    return typed(name, settings -> settings.bool(name, otherwise));
  }

  int integer(String name, int otherwise, int least, int most) {
    return typed(name, settings -> settings.integer(name, otherwise, least, most));
  }

  int requiredInteger(String name, int least, int most) {
    text(name);
    return integer(name, least, least, most);
  }

  Duration duration(String name, Duration otherwise, Duration least, Duration most) {
    return typed(name, settings -> settings.duration(name, otherwise, least, most));
  }

  /** A size in bytes. */
  long bytes(String name, long otherwise, long least, long most) {
    return typed(name, settings -> settings.bytes(name, otherwise, least, most));
  }

  /** A size in bytes that fits an int. */
  int bytes(String name, int otherwise, int least, int most) {
    return Math.toIntExact(bytes(name, (long) otherwise, least, most));
  }

  /**
   * Everything in this section and below, for somebody else to read.
   *
   * @param name what the section is called in messages
   */
  EngineSettings settings(String name) {
    Map<String, String> values = new TreeMap<>();
    Config config = object.toConfig();
    for (Map.Entry<String, ConfigValue> entry : config.entrySet()) {
      String key = String.join(".", ConfigUtil.splitPath(entry.getKey()));
      values.put(key, text(key, entry.getValue()));
    }
    return new EngineSettings(name, values);
  }

  /** Refuses every key that has not been asked for. */
  void requireAllRead() {
    Set<String> unknown = new TreeSet<>(object.keySet());
    unknown.removeAll(read);
    if (!unknown.isEmpty()) {
      throw new ConfigException(
          "Unknown key "
              + full(unknown.iterator().next())
              + "; known in "
              + (path.isEmpty() ? "the file" : path)
              + " are "
              + read
              + ".");
    }
  }

  private <T> T typed(String name, Function<EngineSettings, T> reader) {
    Map<String, String> values =
        optionalText(name).map(text -> Map.of(name, text)).orElse(Map.of());
    try {
      return reader.apply(new EngineSettings(path, values));
    } catch (SettingException e) {
      throw new ConfigException(e.getMessage(), e);
    }
  }

  private List<? extends ConfigValue> list(String name) {
    read.add(name);
    ConfigValue value = object.get(name);
    if (value == null) {
      return List.of();
    }
    if (value instanceof ConfigList list) {
      return list;
    }
    throw new ConfigException(full(name) + " is a list in square brackets, not one value.");
  }

  private String text(String name, ConfigValue value) {
    ConfigValueType type = value.valueType();
    if (type == ConfigValueType.STRING
        || type == ConfigValueType.NUMBER
        || type == ConfigValueType.BOOLEAN) {
      return value.unwrapped().toString();
    }
    throw new ConfigException("Key " + full(name) + " is one value, not a list or a section.");
  }

  private String full(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
