package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.Role;
import java.util.List;

/** The users and roles of a cluster, in the order of their names. */
public record UsersAndRoles(List<UserDescriptor> users, List<Role> roles) {
  public UsersAndRoles {
    users = List.copyOf(Nulls.refuse(users, "users"));
    roles = List.copyOf(Nulls.refuse(roles, "roles"));
  }
}
