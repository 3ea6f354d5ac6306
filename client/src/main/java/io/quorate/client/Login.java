package io.quorate.client;

import io.quorate.common.Nulls;
import io.quorate.model.Role;

/**
 * A user with a secret.
 *
 * @param name has from 1 to 64 letters, digits and {@code . _ -}
 * @param secret not empty
 */
public record Login(String name, String secret) {
  public Login {
    Role.requireName(Nulls.refuse(name, "name"));
    if (Nulls.refuse(secret, "secret").isEmpty()) {
      throw new IllegalArgumentException("A secret has at least one character.");
    }
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "user " + name;
  }
}
