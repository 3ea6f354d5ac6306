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
 * An engine's section of the configuration: dotted keys, relative to the section, and their values
 * as text. Immutable.
 *
 * <p>Durations have a unit: {@code us}, {@code ms}, {@code s} or {@code m}, as in {@code 250ms}.
 * Sizes have a unit: {@code B}, {@code KiB}, {@code MiB} or {@code GiB}, powers of 1024, as in
 * {@code 64KiB}; 0 needs none. Units are not case-sensitive. All bounds are inclusive. If a key is
 * absent, a getter returns its default value without checking it. If a value is malformed or out of
 * bounds, it throws a {@link SettingException} that names the key.
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
   * @param section the name of the section, for messages
   * @param values the values as text, by key
   */
  public EngineSettings(String section, Map<String, String> values) {
    this.section = section;
    this.values = new TreeMap<>(values);
  }

  /** Settings without any key, so that every getter returns its default value. */
  public static EngineSettings defaults(String section) {
    return new EngineSettings(section, Map.of());
  }

  /** The name of the section. */
  public String section() {
    return section;
  }

  /**
   * Checks that every key is one of {@code known}.
   *
   * @throws SettingException if there is another key
   */
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

  /** A boolean: {@code true}, {@code on}, {@code yes}, {@code false}, {@code off} or {@code no}. */
  public boolean bool(String key, boolean defaultValue) {
    String text = values.get(key);
    if (text == null) {
      return defaultValue;
    }
    return switch (text.toLowerCase(Locale.ROOT)) {
      case "true", "on", "yes" -> true;
      case "false", "off", "no" -> false;
      default -> throw invalid(key, text, "is on or off");
    };
  }

  /**
   * A constant of an enum, written without regard to case and with {@code -} in place of {@code _}.
   */
  public <E extends Enum<E>> E choice(String key, E defaultValue) {
    String text = values.get(key);
    if (text == null) {
      return defaultValue;
    }
    List<String> names = new ArrayList<>();
    for (E constant : defaultValue.getDeclaringClass().getEnumConstants()) {
      String name = constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
      if (name.equals(text.trim().toLowerCase(Locale.ROOT))) {
        return constant;
      }
      names.add(name);
    }
    throw invalid(key, text, "is one of " + names);
  }

  /** A whole number from {@code min} to {@code max}. */
  public int integer(String key, int defaultValue, int min, int max) {
    String text = values.get(key);
    if (text == null) {
      return defaultValue;
    }
    try {
      int value = Integer.parseInt(text.trim());
      if (value >= min && value <= max) {
        return value;
      }
    } catch (NumberFormatException e) {
      throw invalid(key, text, "is a whole number from " + min + " to " + max);
    }
    throw invalid(key, text, "is a whole number from " + min + " to " + max);
  }

  /** A duration from {@code min} to {@code max}. */
  public Duration duration(String key, Duration defaultValue, Duration min, Duration max) {
    String text = values.get(key);
    if (text == null) {
      return defaultValue;
    }
    String expected =
        "is a duration from " + format(min) + " to " + format(max) + ", such as 250ms or 2s";
    Duration value = Duration.ofNanos(parseQuantity(key, text, DURATION_NANOS, expected));
    if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      throw invalid(key, text, expected);
    }
    return value;
  }

  /** A size in bytes, from {@code min} to {@code max}. */
  public long bytes(String key, long defaultValue, long min, long max) {
    String text = values.get(key);
    if (text == null) {
      return defaultValue;
    }
    String expected = "is a size from " + min + "B to " + max + "B, such as 64KiB or 4MiB";
    long value = parseQuantity(key, text, SIZE_BYTES, expected);
    if (value < min || value > max) {
      throw invalid(key, text, expected);
    }
    return value;
  }

  private long parseQuantity(String key, String text, Map<String, Long> units, String expected) {
    if (text.trim().equals("0")) {
      return 0;
    }
    Matcher matcher = QUANTITY.matcher(text.trim());
    Long unit = matcher.matches() ? units.get(matcher.group(2).toLowerCase(Locale.ROOT)) : null;
    if (unit == null) {
      throw invalid(key, text, expected);
    }
    try {
      return Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
    } catch (ArithmeticException e) {
      throw invalid(key, text, expected);
    }
  }

  private SettingException invalid(String key, String text, String expected) {
    return new SettingException(
        "Setting " + section + "." + key + " " + expected + "; it was \"" + text + "\".");
  }

  private static String format(Duration duration) {
    return duration.toMillis() % 1000 == 0
        ? duration.toSeconds() + "s"
        : duration.toMillis() + "ms";
  }
}
