package io.quorate.server.admin;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.ssl.SslHandler;
import io.quorate.common.HostPort;
import io.quorate.model.Role.Administration;
import io.quorate.server.access.AuditLog;
import io.quorate.server.access.Principal;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Says who receives what at the admin port, of one connection.
 *
 * <ul>
 *   <li>Health and readiness are for everyone, since supervisors of processes have no user.
 *   <li>With security, a page needs the right {@link Administration#STATUS}, and a change {@link
 *       Administration#NODES}.
 *   <li>Without, everything is for everyone who reaches the port, and changes for programs on the
 *       machine of the node. A host that the node does not have is refused: a page of a stranger
 *       whose name is made to stand for this address would otherwise read what is here, in the
 *       browser of somebody who reaches it.
 *   <li>No web page may change anything, or read what belongs to another one: a browser says where
 *       such a request comes from.
 * </ul>
 *
 * @param identity tells who sends a request; empty without security
 * @param encryption of the connection; empty without security
 * @param names whether this node is to be reached by a name, other than an address
 */
record AdminDoor(
    Optional<AdminIdentity> identity, Optional<SslHandler> encryption, Predicate<String> names) {
  private static final Set<String> OTHER_SITES = Set.of("cross-site", "same-site");

  /** Why a request is refused whoever sends it; empty if it is not. */
  Optional<AdminPage> refusal(HttpRequest request, SocketAddress from) {
    HttpHeaders headers = request.headers();
    boolean isPost = request.method().equals(HttpMethod.POST);
    if (!request.decoderResult().isSuccess()) {
      return page(400, "This is not a valid HTTP request.");
    }
    if (!isPost
        && !request.method().equals(HttpMethod.GET)
        && !request.method().equals(HttpMethod.HEAD)) {
      return page(405, "Only GET and POST are served here.");
    }
    if (isPost && headers.contains(HttpHeaderNames.ORIGIN)) {
      return page(403, "No web page may change the cluster.");
    }
    if (OTHER_SITES.contains(headers.get("sec-fetch-site", ""))
        && (isPost || !headers.get("sec-fetch-mode", "").equals("navigate"))) {
      return page(403, "No web page of another site is served.");
    }
    if (identity.isPresent()) {
      return Optional.empty();
    }
    if (!AdminRequest.FOR_ANYONE.contains(request.uri())
        && !isOwn(headers.getAll(HttpHeaderNames.HOST))) {
      return page(
          403, "This node is reached by its address, as localhost, or by a name in cluster.nodes.");
    }
    if (isPost && !isOnThisMachine(from)) {
      return page(
          403,
          "Without security, changes are accepted from the machine of the node alone; use \"quorate"
              + " node\" elsewhere.");
    }
    return Optional.empty();
  }

  /**
   * Why a request is refused because of who sends it; empty if it is not. May take processor time.
   *
   * @param authorization the header of this name; empty if there is none
   */
  Optional<AdminPage> refusal(AdminRequest request, String authorization, SocketAddress from) {
    if (identity.isEmpty() || request.isForAnyone()) {
      return Optional.empty();
    }
    Optional<Principal> sender =
        authorization.isEmpty()
            ? identity.get().certified(encryption.orElseThrow())
            : identity.get().user(authorization, from);
    if (sender.isEmpty()) {
      if (!authorization.isEmpty()) {
        AuditLog.denied(Principal.NOBODY, from, request.subject());
      }
      return Optional.of(
          AdminPage.unauthorized(
              "This node serves only users with a certificate or a secret; health and readiness are"
                  + " open."));
    }
    Optional<String> refusal =
        sender
            .get()
            .permissions()
            .administer(request.isChange() ? Administration.NODES : Administration.STATUS);
    if (refusal.isPresent()) {
      AuditLog.denied(sender.get(), from, request.subject());
      return page(403, "Access is denied: " + sender.get() + " " + refusal.get() + ".");
    }
    if (request.isChange()) {
      AuditLog.administered(sender.get(), from, request.subject(), "accepted");
    }
    return Optional.empty();
  }

  private boolean isOwn(List<String> hosts) {
    return hosts.isEmpty() || (hosts.size() == 1 && isOwn(hostOf(hosts.get(0))));
  }

  private boolean isOwn(String host) {
    return host.equalsIgnoreCase("localhost") || HostPort.isIpAddress(host) || names.test(host);
  }

  /** Without the port, and the brackets of an IPv6 address. */
  private static String hostOf(String header) {
    String host = header.strip();
    if (host.startsWith("[")) {
      int end = host.indexOf(']');
      return end < 0 ? host : host.substring(1, end);
    }
    int colon = host.indexOf(':');
    return colon < 0 ? host : host.substring(0, colon);
  }

  private static boolean isOnThisMachine(SocketAddress client) {
    return client instanceof InetSocketAddress address && address.getAddress().isLoopbackAddress();
  }

  private static Optional<AdminPage> page(int code, String text) {
    return Optional.of(AdminPage.of(code, text));
  }
}
