package org.apache.ratis.server.storage;

import io.quorate.ratis.guards.CheckedConfiguration;
import io.quorate.ratis.guards.ForwardOnly;
import java.util.Locale;

/** Finds out which classes write term, vote and configuration. */
public final class VoteStorage {
  private VoteStorage() {}

  /**
   * Checks that they are those of this package, rather than Ratis' own.
   *
   * @throws IllegalStateException if not
   */
  public static void requireForwardOnly() {
    require(ForwardOnly.class, RaftStorageMetadataFileImpl.class, "a vote could be lost");
    require(CheckedConfiguration.class, RaftStorageImpl.class, "a change of members could be lost");
  }

  private static void require(Class<?> mark, Class<?> found, String otherwise) {
    if (!mark.isAssignableFrom(found)) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "ratis-server is found before quorate-ratis-ext, whose class %s must take its place: %s. Change the order of the class path.",
              found.getName(),
              otherwise));
    }
  }
}
