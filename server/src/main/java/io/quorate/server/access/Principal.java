package io.quorate.server.access;

import io.quorate.protocol.access.ScramSecret;
import io.quorate.protocol.tls.CertificateName;
import io.quorate.protocol.tls.CertificateName.Kind;
import io.quorate.protocol.tls.Tls;
import java.security.cert.X509Certificate;
import java.util.Optional;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** Whoever is at the other end of a connection. Immutable; any thread. */
public final class Principal {
  /** Whoever connects to a node without security. */
  public static final Principal ANYONE = new Principal(Optional.empty(), Optional.empty());

  /** Whoever has not shown who he is, to a node with security. */
  public static final Principal NOBODY = new Principal(Optional.empty(), Optional.empty());

  private final Optional<Proof> proof;
  private final Optional<AccessState> access;

  /**
   * How somebody has proved who he is.
   *
   * @param expiresMillis when his certificate does, since 1970-01-01 UTC
   * @param secret that he had; empty with a certificate
   */
  private record Proof(CertificateName name, long expiresMillis, Optional<ScramSecret> secret) {}

  private Principal(Optional<Proof> proof, Optional<AccessState> access) {
    this.proof = proof;
    this.access = access;
  }

  /**
   * Whoever the certificate of a connection says.
   *
   * @throws SSLPeerUnverifiedException if there is none that says it
   */
  public static Principal certified(SSLSession session, AccessState access)
      throws SSLPeerUnverifiedException {
    CertificateName name = Tls.nameOf(session);
    X509Certificate own = (X509Certificate) session.getPeerCertificates()[0];
    return new Principal(
        Optional.of(new Proof(name, own.getNotAfter().getTime(), Optional.empty())),
        Optional.of(access));
  }

  /** A user who has proved that he has a secret. */
  public static Principal withSecret(String user, ScramSecret secret, AccessState access) {
    CertificateName name = new CertificateName(Kind.USER, user);
    return new Principal(
        Optional.of(new Proof(name, Long.MAX_VALUE, Optional.of(secret))), Optional.of(access));
  }

  /**
   * What he may do now: nothing any more when his certificate has expired, or his secret is another
   * one.
   */
  public Permissions permissions() {
    if (this == NOBODY) {
      return Permissions.NOTHING;
    }
    if (access.isEmpty()) {
      return Permissions.EVERYTHING;
    }
    return isValid() ? access.get().of(proof.orElseThrow().name()) : Permissions.NOTHING;
  }

  private boolean isValid() {
    Proof present = proof.orElseThrow();
    return present.secret().isPresent()
        ? present.secret().get().equals(access.orElseThrow().secret(present.name().name()))
        : System.currentTimeMillis() <= present.expiresMillis();
  }

  /** The name that he has proved to have; empty where there is no security, and of nobody. */
  public Optional<CertificateName> name() {
    return proof.map(Proof::name);
  }

  /** Whether the node knows users and roles, or needs none. */
  public boolean isDecided() {
    return access.isEmpty() || isNode() || access.get().rules().isPresent();
  }

  private boolean isNode() {
    return proof.filter(each -> each.name().kind() == Kind.NODE).isPresent();
  }

  /** Such as "user alice". */
  @Override
  public String toString() {
    if (proof.isEmpty()) {
      return this == NOBODY ? "nobody" : "anyone";
    }
    String name = proof.get().name().toString();
    return isValid() ? name : name + ", whose certificate or secret is not valid any more,";
  }
}
