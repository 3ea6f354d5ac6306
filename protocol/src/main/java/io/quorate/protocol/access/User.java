package io.quorate.protocol.access;

import io.quorate.model.Role;
import java.util.Optional;
import java.util.Set;

/**
 * A user of the cluster.
 *
 * @param roles the names of his roles; one that does not exist allows nothing
 * @param secret of a user who presents no certificate
 */
public record User(String name, Set<String> roles, Optional<ScramSecret> secret) {
  public User {
    Role.requireName(name);
    roles = Set.copyOf(roles);
    roles.forEach(Role::requireName);
  }
}
