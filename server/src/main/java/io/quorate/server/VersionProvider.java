package io.quorate.server;

import io.quorate.server.node.Version;
import picocli.CommandLine;

/** Provides the version to picocli. */
final class VersionProvider implements CommandLine.IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"quorate " + Version.current()};
  }
}
