package io.quorate.server.node;

import java.util.Optional;

/** The version of this server. */
public final class Version {
  private Version() {}

  /** The version in the jar's manifest; {@code development} if the classes are not in a jar. */
  public static String current() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion())
        .orElse("development");
  }
}
