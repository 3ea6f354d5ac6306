package io.quorate.client;

import java.util.Optional;

/**
 * The result of a compare-and-set.
 *
 * @param swapped whether the value equalled the expected one and was replaced
 * @param current the value that was found, if it did not equal the expected one; empty if there was
 *     none, or if {@code swapped}
 */
public record CompareAndSetResult(boolean swapped, Optional<byte[]> current) {
  @Override
  public String toString() {
    return swapped
        ? "swapped"
        : current
            .map(value -> "not swapped; the value is " + Utf8.text(value))
            .orElse("not swapped; there is no value");
  }
}
