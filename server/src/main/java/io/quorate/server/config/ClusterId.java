package io.quorate.server.config;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The name of a cluster. A node never communicates with nodes of another cluster.
 *
 * @param value 1 to 64 letters, digits, {@code -}, {@code _} or {@code .}
 */
public record ClusterId(String value) {
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9._-]{1,64}");

  public ClusterId {
    Objects.requireNonNull(value, "value");
    if (!VALID.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "A cluster id is 1 to 64 letters, digits, '-', '_' or '.': \"" + value + "\"");
    }
  }

  /** The cluster's id for engines; the same on every node, since it is derived from the name. */
  public UUID uuid() {
    return UUID.nameUUIDFromBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return value;
  }
}
