package io.quorate.protocol.tls;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Who a certificate says that its owner is: a node, by its id, or a user. It is a URI among the
 * alternative names of the certificate, {@code quorate:node:ID} or {@code quorate:user:NAME}, so
 * that no user is taken for the node of the same name.
 *
 * @param name has from 1 to 64 letters, digits and {@code . _ -}
 */
public record CertificateName(Kind kind, String name) {
  /** What an owner is. */
  public enum Kind {
    NODE("quorate:node:"),
    USER("quorate:user:");

    private final String prefix;

    Kind(String prefix) {
      this.prefix = prefix;
    }
  }

  /** The type of a URI among alternative names (RFC 5280, section 4.2.1.6). */
  private static final int URI = 6;

  private static final String NAME = "[A-Za-z0-9._-]{1,64}";

  public CertificateName {
    if (!isName(name)) {
      throw new IllegalArgumentException(
          "A name has from 1 to 64 letters, digits, dots, underscores and hyphens; it was \""
              + name
              + "\".");
    }
  }

  /** Whether this may be the name of an owner. */
  public static boolean isName(String text) {
    return text.matches(NAME);
  }

  /** The name as a URI. */
  public String uri() {
    return kind.prefix + name;
  }

  /** The name in a certificate; empty if it has none, several, or one that cannot be read. */
  public static Optional<CertificateName> of(X509Certificate certificate) {
    Collection<List<?>> alternatives;
    try {
      alternatives = certificate.getSubjectAlternativeNames();
    } catch (CertificateParsingException e) {
      return Optional.empty();
    }
    if (alternatives == null) {
      return Optional.empty();
    }
    List<Optional<CertificateName>> names =
        alternatives.stream()
            .filter(each -> each.get(0).equals(URI))
            .map(each -> each.get(1).toString())
            .filter(uri -> uri.startsWith("quorate:"))
            .map(CertificateName::parse)
            .toList();
    return names.size() == 1 ? names.get(0) : Optional.empty();
  }

  private static Optional<CertificateName> parse(String uri) {
    for (Kind kind : Kind.values()) {
      if (uri.startsWith(kind.prefix)) {
        return Optional.of(uri.substring(kind.prefix.length()))
            .filter(CertificateName::isName)
            .map(name -> new CertificateName(kind, name));
      }
    }
    return Optional.empty();
  }

  @Override
  public String toString() {
    return (kind == Kind.NODE ? "node " : "user ") + name;
  }
}
