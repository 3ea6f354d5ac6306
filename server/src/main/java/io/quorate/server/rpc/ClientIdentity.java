package io.quorate.server.rpc;

import io.netty.handler.ssl.SslHandler;
import io.quorate.protocol.access.ScramClient;
import io.quorate.protocol.access.ScramServer;
import io.quorate.protocol.wire.Opcode;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Authenticate;
import io.quorate.server.access.AccessState;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.access.Principal;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import java.net.SocketAddress;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Who the client of a connection is: whoever its certificate says, or, if it presents none, whoever
 * it proves to be by the secret of a user. On the event loop of the connection.
 */
final class ClientIdentity {
  private final Optional<NodeSecurity> security;
  private final Optional<SslHandler> encryption;
  private Optional<Principal> principal = Optional.empty();
  private Optional<ScramServer> exchange = Optional.empty();

  /**
   * @param encryption of the connection; empty without security
   */
  ClientIdentity(Optional<NodeSecurity> security, Optional<SslHandler> encryption) {
    this.security = security;
    this.encryption = encryption;
  }

  /** Who it is; {@link Principal#NOBODY} as long as it has not shown it. */
  Principal principal() {
    if (principal.isEmpty()) {
      principal = security.isEmpty() ? Optional.of(Principal.ANYONE) : certified();
    }
    return principal.orElse(Principal.NOBODY);
  }

  private AccessState access() {
    return security.orElseThrow().access();
  }

  private Optional<Principal> certified() {
    try {
      return Optional.of(
          Principal.certified(encryption.orElseThrow().engine().getSession(), access()));
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }

  /**
   * Serves a step of an authentication.
   *
   * @throws RequestRejected if the client has not proved who it is, or what it has sent is
   *     malformed
   */
  void authenticate(Request request, SocketAddress from) {
    if (request.sender() != Principal.NOBODY) {
      throw RequestRejected.invalid("This connection is authenticated already.");
    }
    if (access().rules().isEmpty()) {
      throw RequestRejected.elsewhere("This node does not know the users of the cluster yet.");
    }
    String message = request.message(Authenticate.parser()).getMessage();
    if (exchange.isEmpty()) {
      exchange = Optional.of(begin(message, from));
      respond(request, exchange.get().first());
      return;
    }
    ScramServer begun = exchange.get();
    exchange = Optional.empty();
    // Again: any number of connections may have begun before the first of them failed.
    requireAttemptsLeft(from, begun.user());
    Optional<String> proved = begun.finish(message);
    if (proved.isEmpty()) {
      security.orElseThrow().failures().failed(from, begun.user());
      throw RequestRejected.of(
          Status.DENIED, "There is no user " + begun.user() + " with this secret.");
    }
    principal = Optional.of(Principal.withSecret(begun.user(), begun.secret(), access()));
    respond(request, proved.get());
  }

  /**
   * Refuses a request of a client that has not shown who it is.
   *
   * @throws RequestRejected unless it authenticates itself
   */
  static void require(Request request) {
    if (request.sender() == Principal.NOBODY && request.opcode() != Opcode.AUTHENTICATE) {
      throw RequestRejected.of(
          Status.DENIED,
          "This node serves only clients with the certificate of a user (--certs,"
              + " ClientOptions.certificates) or with a name and a secret (--user,"
              + " ClientOptions.login).");
    }
  }

  private ScramServer begin(String message, SocketAddress from) {
    ScramServer begun = ScramServer.begin(message, access()::secret, ScramClient.newNonce());
    requireAttemptsLeft(from, begun.user());
    return begun;
  }

  private void requireAttemptsLeft(SocketAddress from, String user) {
    if (!security.orElseThrow().failures().admits(from, user)) {
      throw RequestRejected.of(
          Status.DENIED,
          "Too many attempts to log in as user "
              + user
              + " from this address have failed; try again in a minute.");
    }
  }

  private static void respond(Request request, String message) {
    request.complete(Authenticate.newBuilder().setMessage(message).build().toByteArray());
  }
}
