package io.quorate.client;

import io.quorate.common.Nulls;
import java.time.Duration;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses and formats durations: a whole number and its unit, such as {@code 250ms}, {@code 2s} or
 * {@code 5m}.
 */
public final class Durations {
  private static final Pattern SHAPE = Pattern.compile("(\\d{1,9})(ms|s|m)");
  private static final Map<String, Long> MILLIS = Map.of("ms", 1L, "s", 1000L, "m", 60_000L);

  /** In milliseconds, longer ones may not fit in 64 bits. */
  private static final long EXACT_DAYS_MAX = 1_000_000;

  private Durations() {}

  /**
   * Returns the duration that the text denotes.
   *
   * @throws IllegalArgumentException if the text is not a whole number and its unit
   */
  public static Duration parse(String text) {
    Matcher matcher = SHAPE.matcher(Nulls.refuse(text, "text"));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "A duration is a whole number and ms, s or m, as in 250ms; not \"" + text + "\".");
    }
    return Duration.ofMillis(Long.parseLong(matcher.group(1)) * MILLIS.get(matcher.group(2)));
  }

  /**
   * Returns the duration in its largest whole unit, parts of a millisecond rounded up; one of more
   * than 1,000,000 days, either way, in minutes, rounded.
   */
  public static String text(Duration duration) {
    Nulls.refuse(duration, "duration");
    if (Math.abs(duration.toDays()) > EXACT_DAYS_MAX) {
      return duration.toMinutes() + "m";
    }
    long millis = duration.plusNanos(999_999).toMillis();
    if (millis % 60_000 == 0 && millis != 0) {
      return millis / 60_000 + "m";
    }
    return millis % 1000 == 0 ? millis / 1000 + "s" : millis + "ms";
  }
}
