package io.quorate.server;

import io.quorate.server.node.Version;
import picocli.CommandLine;

/** Tells picocli the version. */
final class VersionProvider implements CommandLine.IVersionProvider {
  @Override
  public String[] getVersion() {
    return new String[] {"quorate " + Version.current()};
  }
}
