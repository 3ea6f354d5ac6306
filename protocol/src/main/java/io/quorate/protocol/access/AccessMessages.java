package io.quorate.protocol.access;

import com.google.protobuf.UnsafeByteOperations;
import io.quorate.common.DecodeException;
import io.quorate.model.Key;
import io.quorate.model.Role;
import io.quorate.model.Role.Administration;
import io.quorate.model.Role.DataRight;
import io.quorate.protocol.wire.v1.AccessGrant;
import io.quorate.protocol.wire.v1.AccessRole;
import io.quorate.protocol.wire.v1.AccessUser;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Converts roles and users to protobuf messages, and back. */
public final class AccessMessages {
  private AccessMessages() {}

  public static AccessRole of(Role role) {
    AccessRole.Builder message = AccessRole.newBuilder().setName(role.name());
    for (Role.Grant grant : role.grants()) {
      message.addGrants(
          AccessGrant.newBuilder()
              .setPrefix(UnsafeByteOperations.unsafeWrap(grant.prefix().bytes()))
              .setRead(grant.rights().contains(DataRight.READ))
              .setWrite(grant.rights().contains(DataRight.WRITE))
              .setScan(grant.rights().contains(DataRight.SCAN)));
    }
    role.administration().stream()
        .sorted()
        .forEach(each -> message.addAdministration(each.name().toLowerCase(Locale.ROOT)));
    return message.build();
  }

  /**
   * @throws DecodeException if a name or a right is not valid
   */
  public static Role role(AccessRole message) {
    List<Role.Grant> grants = message.getGrantsList().stream().map(AccessMessages::grant).toList();
    try {
      Set<Administration> administration = EnumSet.noneOf(Administration.class);
      for (String each : message.getAdministrationList()) {
        // A right that only later versions know allows nothing here.
        Stream.of(Administration.values())
            .filter(right -> right.name().toLowerCase(Locale.ROOT).equals(each))
            .forEach(administration::add);
      }
      return new Role(message.getName(), grants, administration);
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage());
    }
  }

  private static Role.Grant grant(AccessGrant message) {
    Set<DataRight> rights = EnumSet.noneOf(DataRight.class);
    if (message.getRead()) {
      rights.add(DataRight.READ);
    }
    if (message.getWrite()) {
      rights.add(DataRight.WRITE);
    }
    if (message.getScan()) {
      rights.add(DataRight.SCAN);
    }
    return new Role.Grant(Key.wrap(message.getPrefix().toByteArray()), rights);
  }

  public static AccessUser of(User user) {
    AccessUser.Builder message = AccessUser.newBuilder().setName(user.name());
    user.roles().stream().sorted().forEach(message::addRoles);
    user.secret().ifPresent(secret -> message.setSecret(secret.toMessage()));
    return message.build();
  }

  /**
   * @throws DecodeException if the name or the secret is not valid
   */
  public static User user(AccessUser message) {
    try {
      return new User(
          message.getName(),
          new HashSet<>(message.getRolesList()),
          message.hasSecret()
              ? Optional.of(ScramSecret.of(message.getSecret()))
              : Optional.empty());
    } catch (IllegalArgumentException e) {
      throw new DecodeException(e.getMessage());
    }
  }
}
