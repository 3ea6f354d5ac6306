package io.quorate.client.cluster;

import io.quorate.model.Role;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Changes the users and roles of a cluster with security; for operators with the right {@link
 * Role.Administration#USERS}. No method blocks. A change is in force at every node that responds
 * within a second after its future completes, also for connections that are open, and may be
 * requested again, without further effect.
 *
 * <p>Each future fails with {@link io.quorate.client.InvalidRequestException} if the change cannot
 * be made, with {@link io.quorate.client.DeniedException} without the right, and with {@link
 * io.quorate.client.UnavailableException} if until the deadline of the client no node could make
 * it, or none responded: it may be in force then.
 */
public interface AccessAdministration {
  /** The users and roles that there are. */
  CompletableFuture<UsersAndRoles> list();

  /** Adds a role, or changes what the users with the role of its name may do. */
  CompletableFuture<Void> setRole(Role role);

  /** Removes a role that no user has, if there is one of this name. */
  CompletableFuture<Void> removeRole(String name);

  /**
   * Adds a user who presents a certificate, or changes the roles of the user of this name, whose
   * secret stays.
   */
  CompletableFuture<Void> setUser(String name, Set<String> roles);

  /**
   * As {@link #setUser(String, Set)}, with the secret with which he may log in from now on. The
   * nodes receive what they need to recognize it, and not the secret. Takes some 20 ms of processor
   * time of the caller.
   *
   * @param secret better random than remembered
   */
  CompletableFuture<Void> setUser(String name, Set<String> roles, String secret);

  /** Removes the user of this name, if there is one; what he has connected may do nothing then. */
  CompletableFuture<Void> removeUser(String name);
}
