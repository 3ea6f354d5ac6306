package io.quorate.server.config;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import com.typesafe.config.ConfigValueType;
import io.quorate.common.Sentences;
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
 * One section of the configuration, read key by key. A key that has not been read when {@link
 * #requireAllRead} is called is unknown.
 */
final class Section {
  private final String path;
  private final ConfigObject object;
  private final Set<String> read = new TreeSet<>();
  private final Set<String> documented;

  /**
   * @param path the section's full name, for messages; empty for the whole file
   * @param documented collects the full name of every key that is read
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

  /** A section directly below this one; empty if it is absent. */
  Section section(String name) {
    read.add(name);
    ConfigValue value = object.get(name);
    if (value == null) {
      return new Section(fullName(name), ConfigFactory.empty().root(), documented);
    }
    if (value instanceof ConfigObject below) {
      return new Section(fullName(name), below, documented);
    }
    throw new ConfigException(fullName(name) + " is a section in braces, not a value.");
  }

  /** Whether a key has this text, in the place of a section. */
  boolean isText(String name, String text) {
    boolean is = object.get(name) != null && text.equals(object.get(name).unwrapped());
    if (is) {
      read.add(name);
    }
    return is;
  }

  /** A list of sections, each with {@code []} after its path. */
  List<Section> sections(String name) {
    List<Section> sections = new ArrayList<>();
    for (ConfigValue value : list(name)) {
      if (!(value instanceof ConfigObject below)) {
        throw new ConfigException(fullName(name) + " is a list of sections in braces.");
      }
      sections.add(new Section(fullName(name) + "[]", below, documented));
    }
    return sections;
  }

  /** A list of texts; empty if the key is absent. */
  List<String> texts(String name) {
    documented.add(fullName(name));
    List<String> texts = new ArrayList<>();
    for (ConfigValue value : list(name)) {
      texts.add(text(name, value));
    }
    return texts;
  }

  Optional<String> optionalText(String name) {
    read.add(name);
    documented.add(fullName(name));
    return Optional.ofNullable(object.get(name)).map(value -> text(name, value));
  }

  String text(String name) {
    return optionalText(name)
        .orElseThrow(
            () ->
                new ConfigException(
                    "Key "
                        + fullName(name)
                        + " is missing"
                        + similarUnreadKey(name)
                            .map(other -> "; did you mean it by " + fullName(other) + "?")
                            .orElse(".")));
  }

  /** An unread key that has the same letters, or all of them but one. */
  private Optional<String> similarUnreadKey(String name) {
    return object.keySet().stream()
        .filter(key -> !read.contains(key))
        .filter(key -> missingLetters(name, key) + missingLetters(key, name) <= 2)
        .findFirst();
  }

  /** The number of letters of one text that are not in the other. */
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

  /** A required value of a type whose factory rejects a text with IllegalArgumentException. */
  <T> T text(String name, Function<String, T> type) {
    try {
      return type.apply(text(name));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          "Key " + fullName(name) + " cannot be used: " + Sentences.sentence(e.getMessage()));
    }
  }

  <E extends Enum<E>> E oneOf(String name, Class<E> type, E defaultValue) {
    Optional<String> text = optionalText(name);
    if (text.isEmpty()) {
      return defaultValue;
    }
    List<String> known = new ArrayList<>();
    for (E constant : EnumSet.allOf(type)) {
      if (ClusterMode.text(constant).equals(text.get())) {
        return constant;
      }
      known.add(ClusterMode.text(constant));
    }
    throw new ConfigException(
        "Key " + fullName(name) + " is one of " + known + "; it was \"" + text.get() + "\".");
  }

  boolean bool(String name, boolean defaultValue) {
    return typed(name, settings -> settings.bool(name, defaultValue));
  }

  int integer(String name, int defaultValue, int min, int max) {
    return typed(name, settings -> settings.integer(name, defaultValue, min, max));
  }

  int requiredInteger(String name, int min, int max) {
    text(name);
    return integer(name, min, min, max);
  }

  Duration duration(String name, Duration defaultValue, Duration min, Duration max) {
    return typed(name, settings -> settings.duration(name, defaultValue, min, max));
  }

  /** A size in bytes. */
  long bytes(String name, long defaultValue, long min, long max) {
    return typed(name, settings -> settings.bytes(name, defaultValue, min, max));
  }

  /** A size in bytes that fits an int. */
  int bytes(String name, int defaultValue, int min, int max) {
    return Math.toIntExact(bytes(name, (long) defaultValue, min, max));
  }

  /**
   * Every value in this section and below, for the consensus engine to parse.
   *
   * @param name the name of the section in messages
   * @param defaults values of keys that are absent
   */
  EngineSettings settings(String name, Map<String, String> defaults) {
    Map<String, String> values = new TreeMap<>(defaults);
    Config config = object.toConfig();
    for (Map.Entry<String, ConfigValue> entry : config.entrySet()) {
      String key = String.join(".", ConfigUtil.splitPath(entry.getKey()));
      values.put(key, text(key, entry.getValue()));
    }
    return new EngineSettings(name, values);
  }

  /** Rejects every key that has not been read. */
  void requireAllRead() {
    Set<String> unknown = new TreeSet<>(object.keySet());
    unknown.removeAll(read);
    if (!unknown.isEmpty()) {
      throw new ConfigException(
          "Unknown key "
              + fullName(unknown.iterator().next())
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
    throw new ConfigException(fullName(name) + " is a list in square brackets, not one value.");
  }

  private String text(String name, ConfigValue value) {
    ConfigValueType type = value.valueType();
    if (type == ConfigValueType.STRING
        || type == ConfigValueType.NUMBER
        || type == ConfigValueType.BOOLEAN) {
      return value.unwrapped().toString();
    }
    throw new ConfigException("Key " + fullName(name) + " is one value, not a list or a section.");
  }

  private String fullName(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }
}
