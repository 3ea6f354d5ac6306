package io.quorate.client;

import io.quorate.common.Nulls;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * The result of a change that required a value to be present, or none to be.
 *
 * @param swapped whether what was present was the expected one, and was replaced
 * @param current the value that was found, if it was not the expected one; empty if there was none,
 *     or if {@code swapped}
 */
public record CompareAndSetResult<V>(boolean swapped, Optional<V> current) {
  public CompareAndSetResult {
    Nulls.refuse(current, "current");
  }

  /** Values that are arrays are compared by their content. */
  @Override
  public boolean equals(Object other) {
    return other instanceof CompareAndSetResult<?> that
        && swapped == that.swapped
        && Objects.deepEquals(current.orElse(null), that.current.orElse(null));
  }

  @Override
  public int hashCode() {
    return Arrays.deepHashCode(new Object[] {swapped, current.orElse(null)});
  }

  @Override
  public String toString() {
    return swapped
        ? "swapped"
        : current
            .map(value -> "not swapped; the value is " + display(value))
            .orElse("not swapped; there is no value");
  }

  private static String display(Object value) {
    return value instanceof byte[] bytes ? KeyValue.display(bytes) : value.toString();
  }
}
