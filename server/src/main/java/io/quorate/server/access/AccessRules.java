package io.quorate.server.access;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.common.DecodeException;
import io.quorate.model.Role;
import io.quorate.protocol.access.AccessMessages;
import io.quorate.protocol.access.ScramSecret;
import io.quorate.protocol.access.User;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The users and roles of a cluster. Immutable.
 *
 * @param version the number of changes
 * @param decoy of {@link ScramSecret#ofNobody}
 */
public record AccessRules(
    long version, Map<String, Role> roles, Map<String, User> users, ByteString decoy) {
  private static final int DECOY_BYTES = 32;

  static final AccessRules EMPTY = new AccessRules(0, Map.of(), Map.of(), ByteString.EMPTY);

  public AccessRules {
    roles = Map.copyOf(roles);
    users = Map.copyOf(users);
  }

  /**
   * What a user may do; nothing if there is none of this name. A role that a user has and that does
   * not exist allows nothing.
   */
  Permissions permissions(String user) {
    User found = users.get(user);
    return found == null
        ? Permissions.NOTHING
        : Permissions.of(found.roles().stream().map(roles::get).filter(Objects::nonNull).toList());
  }

  AccessRules with(Role role) {
    return next(changed(roles, role.name(), role), users);
  }

  AccessRules with(User user) {
    return next(roles, changed(users, user.name(), user));
  }

  AccessRules withoutRole(String name) {
    return next(without(roles, name), users);
  }

  AccessRules withoutUser(String name) {
    return next(roles, without(users, name));
  }

  private AccessRules next(Map<String, Role> nextRoles, Map<String, User> nextUsers) {
    return new AccessRules(version + 1, nextRoles, nextUsers, decoy.isEmpty() ? newDecoy() : decoy);
  }

  private static ByteString newDecoy() {
    byte[] random = new byte[DECOY_BYTES];
    new SecureRandom().nextBytes(random);
    return ByteString.copyFrom(random);
  }

  private static <T> Map<String, T> changed(Map<String, T> all, String name, T next) {
    Map<String, T> changed = new TreeMap<>(all);
    changed.put(name, next);
    return changed;
  }

  private static <T> Map<String, T> without(Map<String, T> all, String name) {
    Map<String, T> changed = new TreeMap<>(all);
    changed.remove(name);
    return changed;
  }

  /** With the secrets, as nodes need and store it. */
  io.quorate.protocol.wire.v1.AccessRules toMessage() {
    return message(AccessMessages::of).setDecoy(decoy).build();
  }

  /** Without the secrets, for operators. */
  io.quorate.protocol.wire.v1.AccessRules toPublicMessage() {
    return message(
            user ->
                AccessMessages.of(user).toBuilder()
                    .clearSecret()
                    .setHasSecret(user.secret().isPresent())
                    .build())
        .build();
  }

  private io.quorate.protocol.wire.v1.AccessRules.Builder message(
      Function<User, io.quorate.protocol.wire.v1.AccessUser> ofUser) {
    return io.quorate.protocol.wire.v1.AccessRules.newBuilder()
        .setVersion(version)
        .addAllRoles(sorted(roles).stream().map(AccessMessages::of).toList())
        .addAllUsers(sorted(users).stream().map(ofUser).toList());
  }

  private static <T> List<T> sorted(Map<String, T> all) {
    return List.copyOf(new TreeMap<>(all).values());
  }

  /**
   * @throws DecodeException if it is malformed
   */
  public static AccessRules of(io.quorate.protocol.wire.v1.AccessRules message) {
    return new AccessRules(
        message.getVersion(),
        message.getRolesList().stream()
            .map(AccessMessages::role)
            .collect(Collectors.toMap(Role::name, Function.identity(), (a, b) -> b)),
        message.getUsersList().stream()
            .map(AccessMessages::user)
            .collect(Collectors.toMap(User::name, Function.identity(), (a, b) -> b)),
        message.getDecoy());
  }

  /**
   * @throws DecodeException if it is malformed
   */
  static AccessRules parse(byte[] row) {
    try {
      return of(io.quorate.protocol.wire.v1.AccessRules.parseFrom(row));
    } catch (InvalidProtocolBufferException e) {
      throw new DecodeException("the users and roles are malformed");
    }
  }
}
