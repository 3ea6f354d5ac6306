package io.quorate.ratis.fence;

import io.quorate.consensus.disk.DurableFiles;
import java.io.IOException;
import org.apache.ratis.server.RaftServer;

/**
 * The file that holds a replica's term and vote.
 *
 * <p>Ratis 3.3.0 syncs a new file and renames it to the old one's name, but does not sync the
 * directory. After a loss of power the old file may be back, and the replica votes a second time in
 * one term.
 */
final class VoteFile {
  private VoteFile() {}

  /** Makes durable the vote that a replica has cast last. Blocks. */
  static void sync(RaftServer.Division division) throws IOException {
    DurableFiles.syncDirectory(division.getRaftStorage().getStorageDir().getCurrentDir().toPath());
  }
}
