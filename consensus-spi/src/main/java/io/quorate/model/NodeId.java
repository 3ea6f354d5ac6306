package io.quorate.model;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The id of a node: one server process with one data directory. Unique in its cluster; it never
 * changes during the lifetime of the data directory.
 *
 * @param value 1 to 64 letters, digits, {@code -}, {@code _} or {@code .}
 */
public record NodeId(String value) implements Comparable<NodeId> {
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  public NodeId {
    Objects.requireNonNull(value, "value must not be null");
    if (!VALID.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "A node id is 1 to 64 letters, digits, '-', '_' or '.': \"" + value + "\"");
    }
  }

  @Override
  public int compareTo(NodeId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
