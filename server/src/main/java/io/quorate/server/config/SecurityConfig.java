package io.quorate.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Who may talk to this node.
 *
 * @param certificates the directory of the certificates with which connections are encrypted and
 *     both ends known; empty if whoever reaches a port may read and write everything
 * @param isOff whether the latter is meant, and no oversight
 */
public record SecurityConfig(Optional<Path> certificates, boolean isOff) {
  static final SecurityConfig OFF = new SecurityConfig(Optional.empty(), true);

  /** As the status shows it. */
  public String text() {
    return certificates.isPresent() ? "certificates" : isOff ? "off" : "loopback";
  }
}
