package io.quorate.server.access;

import io.quorate.protocol.access.ScramSecret;
import io.quorate.protocol.access.User;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.wire.v1.AccessRequest;
import io.quorate.protocol.wire.v1.AccessResponse;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The users and roles as this node knows them. Any thread; a change is in force for the next
 * request of every connection.
 */
public final class AccessState {
  private volatile State state = new State(AccessRules.EMPTY, Map.of(), false);

  /**
   * @param isKnown whether the rules have been received since the start
   */
  private record State(AccessRules rules, Map<String, Permissions> users, boolean isKnown) {}

  /** Adopts rules, unless they are older than those that are known. */
  public synchronized void learn(AccessRules found) {
    if (state.isKnown() && found.version() <= state.rules().version()) {
      return;
    }
    state =
        new State(
            found,
            found.users().keySet().stream()
                .collect(Collectors.toUnmodifiableMap(name -> name, found::permissions)),
            true);
  }

  /** The rules; empty as long as they have not been received. */
  public Optional<AccessRules> rules() {
    State present = state;
    return present.isKnown() ? Optional.of(present.rules()) : Optional.empty();
  }

  /**
   * What another node receives that asks for the rules, or has stored them; empty as long as they
   * are not known.
   */
  public Optional<AccessResponse> response(AccessRequest request) {
    if (request.hasStored()) {
      learn(AccessRules.of(request.getStored()));
      return Optional.of(AccessResponse.getDefaultInstance());
    }
    return rules()
        .map(
            known ->
                request.hasKnownVersion() && request.getKnownVersion() >= known.version()
                    ? AccessResponse.getDefaultInstance()
                    : AccessResponse.newBuilder().setRules(known.toMessage()).build());
  }

  /** What somebody may do: nodes everything, and nobody anything before the rules are known. */
  public Permissions of(CertificateName who) {
    return switch (who.kind()) {
      case NODE -> Permissions.EVERYTHING;
      case USER -> state.users().getOrDefault(who.name(), Permissions.NOTHING);
    };
  }

  /** What is known of the secret of a user; of one who has none, something like it. */
  public ScramSecret secret(String user) {
    AccessRules rules = state.rules();
    return Optional.ofNullable(rules.users().get(user))
        .flatMap(User::secret)
        .orElseGet(() -> ScramSecret.ofNobody(user, rules.decoy()));
  }
}
