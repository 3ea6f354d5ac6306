package io.quorate.torture.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Assigns ids to the values that keys can have, so that the search compares numbers and not texts.
 */
final class Values {
  /** The id of "no value". */
  static final int ABSENT = 0;

  /** Not an id of any value. */
  static final int NONE = -1;

  private static final int BYTES_EACH = 150;

  private final List<Optional<String>> texts = new ArrayList<>();
  private final List<OptionalLong> numbers = new ArrayList<>();
  private final Map<Optional<String>, Integer> ids = new HashMap<>();
  private long bytes;

  Values() {
    id(Optional.empty());
  }

  int id(String text) {
    return id(Optional.of(text));
  }

  int id(Optional<String> text) {
    Integer known = ids.get(text);
    if (known != null) {
      return known;
    }
    texts.add(text);
    numbers.add(text.isEmpty() ? OptionalLong.of(0) : parse(text.get()));
    ids.put(text, texts.size() - 1);
    bytes += BYTES_EACH + text.map(String::length).orElse(0);
    return texts.size() - 1;
  }

  /** The number of ids; every id is below it. */
  int size() {
    return texts.size();
  }

  /** The approximate memory of the values in bytes. */
  long bytes() {
    return bytes;
  }

  Optional<String> text(int id) {
    return texts.get(id);
  }

  /** The number that the value represents; an absent value represents 0. */
  OptionalLong number(int id) {
    return numbers.get(id);
  }

  /**
   * The sum of the value and {@code delta}; empty if the value is no number or the sum does not
   * fit.
   */
  OptionalLong sum(int id, long delta) {
    OptionalLong number = numbers.get(id);
    if (number.isEmpty()) {
      return number;
    }
    long before = number.getAsLong();
    long sum = before + delta;
    return ((before ^ sum) & (delta ^ sum)) < 0 ? OptionalLong.empty() : OptionalLong.of(sum);
  }

  private static OptionalLong parse(String text) {
    int digits = text.startsWith("-") ? 1 : 0;
    if (digits == text.length()) {
      return OptionalLong.empty();
    }
    for (int i = digits; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return OptionalLong.empty();
      }
    }
    try {
      return OptionalLong.of(Long.parseLong(text));
    } catch (NumberFormatException e) {
      // A number that does not fit in 64 bits.
      return OptionalLong.empty();
    }
  }
}
