package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import java.util.Set;

/**
 * A user of the cluster.
 *
 * @param roles the names of his roles
 * @param hasSecret whether he may log in with a secret, and not only with a certificate
 */
public record UserDescriptor(String name, Set<String> roles, boolean hasSecret) {
  public UserDescriptor {
    Nulls.refuse(name, "name");
    roles = Set.copyOf(Nulls.refuse(roles, "roles"));
  }
}
