package io.quorate.ratis.guards;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import org.apache.ratis.server.RaftServer;

/**
 * The file that holds a replica's term and vote.
 *
 * <p>Ratis 3.3.0 syncs a new file and renames it to the name of the old one, but does not sync the
 * directory. After a power loss the old file may be back, and the replica could vote a second time
 * in one term.
 */
final class VoteFile {
  private VoteFile() {}

  /** Makes the latest vote of a replica durable. Blocks. */
  static void sync(RaftServer.Division division) throws IOException {
    DurableFiles.syncDirectory(division.getRaftStorage().getStorageDir().getCurrentDir().toPath());
  }
}
