package io.quorate.server.verification.torture;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Decides every choice of a schedule. Written as the version of the schedules and a number, such as
 * {@code 3-8472}: the same number means something else in another version.
 *
 * @param number 0 or greater
 */
public record Seed(long number) {
  /** Raised with every change of what a number means. */
  public static final int VERSION = 3;

  private static final Pattern TEXT = Pattern.compile("(\\d{1,9})-(\\d{1,18})");
  private static final int NEW_SEEDS = 1_000_000;

  /** Any seed. */
  public static Seed random() {
    return new Seed(new Random().nextInt(NEW_SEEDS));
  }

  /**
   * @throws IllegalArgumentException if it is no seed of this version; the message is a sentence
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
          "The seed "
              + text
              + " is of schedules of version "
              + matcher.group(1)
              + "; this program has version "
              + VERSION
              + ", where it would mean something else.");
    }
    return new Seed(Long.parseLong(matcher.group(2)));
  }

  @Override
  public String toString() {
    return VERSION + "-" + number;
  }
}
