package org.apache.ratis.server.storage;

import io.quorate.ratis.guards.ForwardOnly;
import java.util.Locale;

/** Finds out which class writes term and vote. */
public final class VoteStorage {
  private VoteStorage() {}

  /**
   * Checks that it is the one of this package, rather than Ratis' own.
   *
   * @throws IllegalStateException if not
   */
  public static void requireForwardOnly() {
    if (!ForwardOnly.class.isAssignableFrom(RaftStorageMetadataFileImpl.class)) {
      throw new IllegalStateException(
          String.format(
              Locale.ROOT,
              "ratis-server is found before quorate-ratis-ext, whose class %s must take its place: a vote could be lost. Change the order of the class path.",
              RaftStorageMetadataFileImpl.class.getName()));
    }
  }
}
