package io.quorate.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Who may talk to this node.
 *
 * @param certificates the directory of the certificates with which connections are encrypted and
 *     both ends known; empty if whoever reaches a port may read and write everything
 */
public record SecurityConfig(Optional<Path> certificates) {}
