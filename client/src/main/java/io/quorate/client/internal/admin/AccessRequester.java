package io.quorate.client.internal.admin;

import io.quorate.client.CallOperation;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.client.cluster.UserDescriptor;
import io.quorate.client.cluster.UsersAndRoles;
import io.quorate.client.internal.call.Caller;
import io.quorate.common.Nulls;
import io.quorate.model.Role;
import io.quorate.protocol.access.AccessMessages;
import io.quorate.protocol.access.ScramSecret;
import io.quorate.protocol.access.User;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.v1.AccessRules;
import io.quorate.protocol.wire.v1.ChangeAccessRequest;
import io.quorate.protocol.wire.v1.ChangeAccessResponse;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Requests changes of users and roles of the node that serves region 0. Any thread. */
public final class AccessRequester implements AccessAdministration {
  private final Caller caller;

  public AccessRequester(Caller caller) {
    this.caller = caller;
  }

  @Override
  public CompletableFuture<UsersAndRoles> list() {
    return request(change -> change.setList(true))
        .thenApply(response -> listed(response.getRules()));
  }

  private static UsersAndRoles listed(AccessRules rules) {
    return new UsersAndRoles(
        rules.getUsersList().stream()
            .map(
                user ->
                    new UserDescriptor(
                        user.getName(), Set.copyOf(user.getRolesList()), user.getHasSecret()))
            .toList(),
        rules.getRolesList().stream().map(AccessMessages::role).toList());
  }

  @Override
  public CompletableFuture<Void> setRole(Role role) {
    Nulls.refuse(role, "role");
    return change(request -> request.setSetRole(AccessMessages.of(role)));
  }

  @Override
  public CompletableFuture<Void> removeRole(String name) {
    Role.requireName(Nulls.refuse(name, "name"));
    return change(request -> request.setRemoveRole(name));
  }

  @Override
  public CompletableFuture<Void> setUser(String name, Set<String> roles) {
    User user = user(name, roles, Optional.empty());
    return change(
        request -> request.setSetUser(AccessMessages.of(user).toBuilder().setHasSecret(true)));
  }

  @Override
  public CompletableFuture<Void> setUser(String name, Set<String> roles, String secret) {
    User user = user(name, roles, Optional.of(ScramSecret.of(Nulls.refuse(secret, "secret"))));
    return change(request -> request.setSetUser(AccessMessages.of(user)));
  }

  private static User user(String name, Set<String> roles, Optional<ScramSecret> secret) {
    return new User(Nulls.refuse(name, "name"), Nulls.refuse(roles, "roles"), secret);
  }

  @Override
  public CompletableFuture<Void> removeUser(String name) {
    Role.requireName(Nulls.refuse(name, "name"));
    return change(request -> request.setRemoveUser(name));
  }

  private CompletableFuture<Void> change(Consumer<ChangeAccessRequest.Builder> change) {
    return request(change).thenApply(done -> null);
  }

  private CompletableFuture<ChangeAccessResponse> request(
      Consumer<ChangeAccessRequest.Builder> change) {
    ChangeAccessRequest.Builder request = ChangeAccessRequest.newBuilder();
    change.accept(request);
    return caller.onLoop(
        CallOperation.ACCESS,
        context ->
            MetadataCall.of(
                context,
                Opcode.CHANGE_ACCESS,
                request.build(),
                ChangeAccessResponse.parser(),
                caller.deadline()));
  }
}
