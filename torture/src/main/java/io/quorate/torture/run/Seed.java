package io.quorate.torture.run;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Determines every choice of a schedule. Written as the version of the schedules and a number, such
 * as {@code 11-8472}: the same number determines a different schedule in another version.
 *
 * @param number 0 or greater
 */
public record Seed(long number) {
  /** Incremented with every change of the schedules that numbers determine. */
  public static final int VERSION = 11;

  private static final Pattern TEXT = Pattern.compile("(\\d{1,9})-(\\d{1,18})");
  private static final int RANDOM_SEED_BOUND = 1_000_000;

  /** A random seed with a number short enough to type. */
  public static Seed random() {
    return new Seed(new Random().nextInt(RANDOM_SEED_BOUND));
  }

  /**
   * @throws IllegalArgumentException if this is not a seed of this version; the message is a
   *     sentence
   */
  public static Seed parse(String text) {
    Matcher matcher = TEXT.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "A seed is written as a version and a number, such as "
              + VERSION
              + "-8472, not \""
              + text
              + "\".");
    }
    if (Integer.parseInt(matcher.group(1)) != VERSION) {
      throw new IllegalArgumentException(
          "Seed "
              + text
              + " belongs to schedules of version "
              + matcher.group(1)
              + "; this program has version "
              + VERSION
              + ", in which it determines a different schedule.");
    }
    return new Seed(Long.parseLong(matcher.group(2)));
  }

  @Override
  public String toString() {
    return VERSION + "-" + number;
  }
}
