package io.quorate.server.verification.checker;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Numbers the values that keys can hold, so that a search compares numbers and not texts. */
final class Values {
  /** The id of "no value". */
  static final int ABSENT = 0;

  /** No id of a value. */
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

  /** How many ids there are; they are the numbers below. */
  int size() {
    return texts.size();
  }

  /** About how much memory they take. */
  long bytes() {
    return bytes;
  }

  Optional<String> text(int id) {
    return texts.get(id);
  }

  /** The number that the value stands for; no value stands for 0. */
  OptionalLong number(int id) {
    return numbers.get(id);
  }

  /** What the value becomes when it is added to; empty if it is not a number or gets too large. */
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
      // Digits, but more than 64 bits hold.
      return OptionalLong.empty();
    }
  }
}
