package io.quorate.server.access;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.NodeToNode;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.common.DecodeException;
import io.quorate.consensus.ConsensusException;
import io.quorate.model.Role;
import io.quorate.protocol.access.AccessMessages;
import io.quorate.protocol.access.User;
import io.quorate.protocol.wire.v1.AccessRequest;
import io.quorate.protocol.wire.v1.AccessResponse;
import io.quorate.protocol.wire.v1.AccessUser;
import io.quorate.protocol.wire.v1.ChangeAccessRequest;
import io.quorate.protocol.wire.v1.ChangeAccessResponse;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.MetadataRegion;
import io.quorate.server.topology.MetadataRow;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Serves the requests of operators about users and roles, at the node whose replica of region 0
 * serves. Any thread.
 */
public final class AccessRequests {
  /** Of the row: it is read several times a second, and twice in the command of a change. */
  private static final int BYTES_MAX = 256 << 10;

  /** How long a change waits for nodes that do not respond; they ask for it when they can. */
  private static final Duration SPREAD_MAX = Duration.ofSeconds(1);

  private final AccessState access;
  private final ClusterTopology topology;
  private final AsyncQuorateClient client;

  /**
   * @param access learns of each change at once
   * @param client tells the other nodes of it
   */
  public AccessRequests(AccessState access, ClusterTopology topology, AsyncQuorateClient client) {
    this.access = access;
    this.topology = topology;
    this.client = client;
  }

  /** As {@link AccessState#response}. */
  public Optional<AccessResponse> known(AccessRequest request) {
    return access.response(request);
  }

  /**
   * Stores the requested change. Does not block.
   *
   * @param metadata this node's replica of region 0, which serves
   * @param readers execute what reads the disk
   * @return completes with the rules after the change, when every node that responds knows them;
   *     fails with {@link ConsensusException.Unavailable} if another change was stored first, and
   *     with {@link ConsensusException.Invalid} if the change is not possible
   * @throws DecodeException if the request is malformed
   */
  public CompletionStage<ChangeAccessResponse> change(
      MetadataRegion metadata, ChangeAccessRequest request, Executor readers) {
    Function<AccessRules, AccessRules> change = decode(request);
    MetadataRow row = metadata.access();
    return CompletableFuture.supplyAsync(row::read, readers)
        .thenCompose(
            present -> {
              AccessRules before = present.map(AccessRules::parse).orElse(AccessRules.EMPTY);
              AccessRules after = change.apply(before);
              return after.equals(before)
                  ? CompletableFuture.completedFuture(before)
                  : store(row, present, after);
            })
        .thenApply(
            rules -> ChangeAccessResponse.newBuilder().setRules(rules.toPublicMessage()).build());
  }

  private CompletionStage<AccessRules> store(
      MetadataRow row, Optional<byte[]> present, AccessRules next) {
    byte[] encoded = next.toMessage().toByteArray();
    if (encoded.length > BYTES_MAX) {
      throw new ConsensusException.Invalid(
          "All users and roles together have at most "
              + BYTES_MAX
              + " bytes; give users common roles, and remove those that are not needed.");
    }
    return row.replace(present, encoded)
        .thenApply(
            stored -> {
              if (!stored) {
                throw new ConsensusException.Unavailable(
                    "Another change of users and roles was stored first; try again.");
              }
              access.learn(next);
              return next;
            })
        .thenCompose(this::spread);
  }

  /** Completes when every node that responds has learnt of the rules. */
  private CompletionStage<AccessRules> spread(AccessRules rules) {
    AccessRequest stored = AccessRequest.newBuilder().setStored(rules.toMessage()).build();
    return CompletableFuture.allOf(
            topology.stored().stream()
                .flatMap(present -> present.nodes().stream())
                .filter(entry -> !entry.id().equals(topology.self()))
                .map(entry -> new NodeAddress(entry.node().host(), entry.node().clientPort()))
                .map(node -> NodeToNode.access(client, List.of(node), stored))
                .toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, SPREAD_MAX.toMillis(), TimeUnit.MILLISECONDS)
        .handle((done, failure) -> rules);
  }

  private static Function<AccessRules, AccessRules> decode(ChangeAccessRequest request) {
    return switch (request.getChangeCase()) {
      case SET_ROLE -> {
        Role role = AccessMessages.role(request.getSetRole());
        yield rules -> role.equals(rules.roles().get(role.name())) ? rules : rules.with(role);
      }
      case SET_USER -> {
        User user = AccessMessages.user(request.getSetUser());
        yield rules -> withUser(rules, user, request.getSetUser());
      }
      case REMOVE_ROLE -> rules -> withoutRole(rules, request.getRemoveRole());
      case REMOVE_USER ->
          rules ->
              rules.users().containsKey(request.getRemoveUser())
                  ? rules.withoutUser(request.getRemoveUser())
                  : rules;
      case LIST -> Function.identity();
      case CHANGE_NOT_SET -> throw new DecodeException("The request names no known change.");
    };
  }

  private static AccessRules withUser(AccessRules rules, User requested, AccessUser message) {
    requested.roles().stream()
        .filter(role -> !rules.roles().containsKey(role))
        .sorted()
        .findFirst()
        .ifPresent(
            role -> {
              throw new ConsensusException.Invalid(
                  "There is no role " + role + "; add it first, as with \"quorate role set\".");
            });
    User former = rules.users().get(requested.name());
    boolean keepsSecret = former != null && !message.hasSecret() && message.getHasSecret();
    User user =
        keepsSecret ? new User(requested.name(), requested.roles(), former.secret()) : requested;
    return user.equals(former) ? rules : rules.with(user);
  }

  private static AccessRules withoutRole(AccessRules rules, String role) {
    List<String> users =
        rules.users().values().stream()
            .filter(user -> user.roles().contains(role))
            .map(User::name)
            .sorted()
            .toList();
    if (!users.isEmpty()) {
      throw new ConsensusException.Invalid(
          String.format(
              Locale.ROOT,
              "Role %s is in use by %s; give them other roles first.",
              role,
              users.stream().limit(3).collect(Collectors.joining(", "))
                  + (users.size() > 3 ? " and " + (users.size() - 3) + " more" : "")));
    }
    return rules.roles().containsKey(role) ? rules.withoutRole(role) : rules;
  }
}
