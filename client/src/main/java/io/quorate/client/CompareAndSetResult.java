package io.quorate.client;

import java.util.Optional;

/**
 * What a compare-and-set did.
 *
 * @param swapped whether the value was the expected one and has been replaced
 * @param current the value that was found, where it was not the expected one; empty if there was
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
