package io.quorate.server.cli.status;

import io.quorate.client.cluster.NodeState;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.util.Optional;

/** That the certificate of a node expires soon. */
final class CertificateNotice {
  /** As the alert. */
  private static final Duration SOON = Duration.ofDays(14);

  private CertificateNotice() {}

  /** What a person is to know, as the rest of a line; empty if nothing. */
  static Optional<String> of(NodeState node, Instant now) {
    return Optional.ofNullable(node.settings().get("certificate-expires"))
        .flatMap(CertificateNotice::instant)
        .filter(expires -> expires.isBefore(now.plus(SOON)))
        .map(
            expires ->
                (expires.isBefore(now)
                        ? "its certificate expired on "
                        : "its certificate expires on ")
                    + expires.atZone(ZoneOffset.UTC).toLocalDate()
                    + "; put another one in its place");
  }

  private static Optional<Instant> instant(String text) {
    try {
      return Optional.of(Instant.parse(text));
    } catch (DateTimeParseException e) {
      // Of another version.
      return Optional.empty();
    }
  }
}
