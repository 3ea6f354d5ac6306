package io.quorate.server.admin;

import io.netty.handler.ssl.SslHandler;
import io.quorate.protocol.access.ScramSecret;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.server.access.AccessState;
import io.quorate.server.access.FailedLogins;
import io.quorate.server.access.Principal;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLPeerUnverifiedException;

/**
 * Tells who sends a request to the admin port: whoever the certificate of the connection says, or
 * else the user whose name and secret the request has (basic authentication, RFC 7617). Any thread.
 */
final class AdminIdentity {
  private static final String BASIC = "basic ";
  private static final int SALT_BYTES = 32;

  private final AccessState access;
  private final FailedLogins failures;
  private final byte[] salt = new byte[SALT_BYTES];

  /** The secrets that were right before, since to check one takes some 20 ms. */
  private final Map<String, Verified> verified = new ConcurrentHashMap<>();

  /**
   * @param hash of the secret that was right, with the salt of this object
   */
  private record Verified(ScramSecret known, byte[] hash) {}

  AdminIdentity(AccessState access, FailedLogins failures) {
    this.access = access;
    this.failures = failures;
    new SecureRandom().nextBytes(salt);
  }

  /** Whoever the certificate of a connection says; empty if it has none. */
  Optional<Principal> certified(SslHandler encryption) {
    try {
      return Optional.of(Principal.certified(encryption.engine().getSession(), access));
    } catch (SSLPeerUnverifiedException e) {
      return Optional.empty();
    }
  }

  /**
   * The user whose name and secret a header has; empty if they are not right, or too many attempts
   * have failed. Takes processor time.
   *
   * @param authorization the header
   * @param from where it comes from
   */
  Optional<Principal> user(String authorization, SocketAddress from) {
    Optional<String[]> login = login(authorization);
    if (login.isEmpty() || !failures.admits(from, login.get()[0])) {
      return Optional.empty();
    }
    String user = login.get()[0];
    ScramSecret known = access.secret(user);
    if (!isRight(user, known, login.get()[1])) {
      failures.failed(from, user);
      return Optional.empty();
    }
    return Optional.of(Principal.withSecret(user, known, access));
  }

  private boolean isRight(String user, ScramSecret known, String secret) {
    byte[] hash = hash(secret);
    Verified before = verified.get(user);
    if (before != null && before.known().equals(known)) {
      return MessageDigest.isEqual(before.hash(), hash) || known.isOf(secret);
    }
    boolean isRight = known.isOf(secret);
    if (isRight) {
      verified.put(user, new Verified(known, hash));
    }
    return isRight;
  }

  private byte[] hash(String secret) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(salt);
      return digest.digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("This Java runtime has no SHA-256", e);
    }
  }

  /** Name and secret; empty if the header is malformed, or the name is none. */
  private static Optional<String[]> login(String authorization) {
    if (!authorization.regionMatches(true, 0, BASIC, 0, BASIC.length())) {
      return Optional.empty();
    }
    try {
      byte[] decoded = Base64.getDecoder().decode(authorization.substring(BASIC.length()).strip());
      String[] parts = new String(decoded, StandardCharsets.UTF_8).split(":", 2);
      return Optional.of(parts).filter(each -> each.length == 2 && CertificateName.isName(each[0]));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
