package io.quorate.consensus;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An engine's part of the configuration: dotted keys, relative to the engine's own section, and
 * their values as written.
 *
 * <p>Durations are written with a unit ({@code 250ms}, {@code 2s}), sizes too ({@code 64KiB},
 * {@code 4MiB}; powers of 1024). Every violation is a {@link SettingException} that names the key.
 */
public final class EngineSettings {
  private static final Pattern QUANTITY = Pattern.compile("(\\d{1,15})\\s*([A-Za-z]*)");
  private static final Map<String, Long> DURATION_NANOS =
      Map.of("us", 1_000L, "ms", 1_000_000L, "s", 1_000_000_000L, "m", 60_000_000_000L);
  private static final Map<String, Long> SIZE_BYTES =
      Map.of("b", 1L, "kib", 1L << 10, "mib", 1L << 20, "gib", 1L << 30);

  private final String section;
  private final Map<String, String> values;

  /**
   * @param section the section's own name, for messages
   */
  public EngineSettings(String section, Map<String, String> values) {
    this.section = section;
    this.values = new TreeMap<>(values);
  }

  /** No setting given: every default. */
  public static EngineSettings defaults(String section) {
    return new EngineSettings(section, Map.of());
  }

  /** Refuses every key that is not among {@code known}. */
  public void requireKnown(Set<String> known) {
    Set<String> unknown = new TreeSet<>(values.keySet());
    unknown.removeAll(known);
    if (!unknown.isEmpty()) {
      throw new SettingException(
          "Unknown setting "
              + section
              + "."
              + unknown.iterator().next()
              + "; known here are "
              + new TreeSet<>(known)
              + ".");
    }
  }

  public boolean bool(String key, boolean otherwise) {
    String text = values.get(key);
    if (text == null) {
      return otherwise;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on", "yes" -> true;
      case "false", "off", "no" -> false;
      default -> throw bad(key, text, "is on or off");
    };
  }

  /** One of the constants of {@code otherwise}'s type, written in lower case. */
  public <E extends Enum<E>> E choice(String key, E otherwise) {
    String text = values.get(key);
    if (text == null) {
      return otherwise;
    }
    List<String> names = new ArrayList<>();
    for (E constant : otherwise.getDeclaringClass().getEnumConstants()) {
      String name = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (name.equals(text.trim().toLowerCase(Locale.ROOT))) {
        return constant;
      }
      names.add(name);
    }
    throw bad(key, text, "is one of " + names);
  }

  public int integer(String key, int otherwise, int least, int most) {
    String text = values.get(key);
    if (text == null) {
      return otherwise;
    }
    try {
      int value = Integer.parseInt(text.trim());
      if (value >= least && value <= most) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw bad(key, text, "is a whole number from " + least + " to " + most);
    }
    throw bad(key, text, "is a whole number from " + least + " to " + most);
  }

  public Duration duration(String key, Duration otherwise, Duration least, Duration most) {
    String text = values.get(key);
    if (text == null) {
      return otherwise;
    }
    String form =
        "is a duration from " + print(least) + " to " + print(most) + ", such as 250ms or 2s";
    Duration value = Duration.ofNanos(quantity(key, text, DURATION_NANOS, form));
    if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
      throw bad(key, text, form);
    }
    return value;
  }

  /** A size in bytes. */
  public long bytes(String key, long otherwise, long least, long most) {
    String text = values.get(key);
    if (text == null) {
      return otherwise;
    }
    String form = "is a size from " + least + "B to " + most + "B, such as 64KiB or 4MiB";
    long value = quantity(key, text, SIZE_BYTES, form);
    if (value < least || value > most) {
      throw bad(key, text, form);
    }
    return value;
  }

  private long quantity(String key, String text, Map<String, Long> units, String form) {
    Matcher matcher = QUANTITY.matcher(text.trim());
    Long unit = matcher.matches() ? units.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
    if (unit == null) {
      throw bad(key, text, form);
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    } catch (ArithmeticException e) {
      throw bad(key, text, form);
    }
  }

  private SettingException bad(String key, String text, String form) {
    return new SettingException(
        "Setting " + section + "." + key + " " + form + "; it was \"" + text + "\".");
  }

  private static String print(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }
}
