package io.quorate.server.config;

import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The name of a cluster. Nodes of another cluster are never talked to.
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

  /** The identity engines use; the same on every node, since it follows from the name. */
  public UUID uuid() {
    return UUID.nameUUIDFromBytes(value.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public String toString() {
    return value;
  }
}
