package org.apache.ratis.server.storage;

import java.nio.file.Path;

/** Gives tests of other packages the class that writes terms and votes. */
public final class VoteFiles {
  private VoteFiles() {}

  /** Term and vote of a replica. */
  public static RaftStorageMetadataFile in(Path directory) {
    return new RaftStorageMetadataFileImpl(directory.resolve("raft-meta").toFile());
  }
}
