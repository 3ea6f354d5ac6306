package io.quorate.server.access;

import io.quorate.protocol.tls.CertificateName;
import java.util.Optional;

/** Whoever is at the other end of a connection. Immutable; any thread. */
public final class Principal {
  /** Whoever connects to a node without security. */
  public static final Principal ANYONE = new Principal(Optional.empty(), Optional.empty());

  /** Whoever has not shown who he is, to a node with security. */
  public static final Principal NOBODY = new Principal(Optional.empty(), Optional.empty());

  private final Optional<CertificateName> name;
  private final Optional<AccessState> access;

  private Principal(Optional<CertificateName> name, Optional<AccessState> access) {
    this.name = name;
    this.access = access;
  }

  /** Somebody who has proved who he is. */
  public static Principal of(CertificateName name, AccessState access) {
    return new Principal(Optional.of(name), Optional.of(access));
  }

  /** What he may do now. */
  public Permissions permissions() {
    if (this == NOBODY) {
      return Permissions.NOTHING;
    }
    return access.isEmpty() ? Permissions.EVERYTHING : access.get().of(name.orElseThrow());
  }

  /** Whether the node knows users and roles, or needs none. */
  public boolean isDecided() {
    return access.isEmpty() || isNode() || access.get().rules().isPresent();
  }

  /** Whether it is a node of the cluster; nobody can tell without security. */
  public boolean isNode() {
    return name.filter(each -> each.kind() == CertificateName.Kind.NODE).isPresent();
  }

  /** Such as "user alice". */
  @Override
  public String toString() {
    return name.map(CertificateName::toString).orElse(this == NOBODY ? "nobody" : "anyone");
  }
}
