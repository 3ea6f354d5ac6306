package io.quorate.server;

import io.quorate.server.config.ConfigException;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.config.ServerConfigParser;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine;

/** The options for the configuration of a node, used by every command for one node. */
final class ConfigurationOptions {
  @CommandLine.Option(
      names = "--config",
      required = true,
      paramLabel = "FILE",
      description = "The configuration file (HOCON).")
  private Path file;

  @CommandLine.Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "A key of the configuration to override, such as node.id=n2.")
  private Map<String, String> overrides = new LinkedHashMap<>();

  /**
   * Reads the configuration. Blocks.
   *
   * @param engines names of the available engines
   * @throws ConfigException if the configuration is invalid
   */
  ServerConfig read(Set<String> engines) {
    return new ServerConfigParser(engines).parseFile(file, overrides);
  }
}
