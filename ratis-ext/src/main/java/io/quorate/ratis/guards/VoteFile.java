package io.quorate.ratis.guards;

import io.quorate.common.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.ratis.server.RaftServer;

/** The file that holds a replica's term and vote. */
public final class VoteFile {
  private static final String NAME = "raft-meta";

  private VoteFile() {}

  /**
   * Makes the latest vote of a replica durable. Blocks.
   *
   * <p>Ratis 3.3.0 syncs a new file and renames it to the name of the old one, but does not sync
   * the directory. After a power loss the old file may be back, and the replica could vote a second
   * time in one term.
   */
  static void sync(RaftServer.Division division) throws IOException {
    DurableFiles.syncDirectory(division.getRaftStorage().getStorageDir().getCurrentDir().toPath());
  }

  /**
   * Lets a new replica begin in a term without a vote, so that its group elects leaders for greater
   * terms only. Has no effect on a replica that exists. Blocks; durable when the call returns.
   *
   * @param directory of Ratis' files of the replica, which may not exist yet
   */
  public static void begin(Path directory, long term) throws IOException {
    Path file = directory.resolve(NAME);
    if (Files.exists(file)) {
      return;
    }
    Files.createDirectories(directory);
    DurableFiles.syncDirectory(directory.getParent());
    DurableFiles.syncDirectory(directory.getParent().getParent());
    // As Ratis writes it.
    byte[] content =
        String.format(Locale.ROOT, "term=%d\nvotedFor=\n", term)
            .getBytes(StandardCharsets.ISO_8859_1);
    DurableFiles.replace(file, directory.resolve(NAME + ".draft"), ByteBuffer.wrap(content));
  }
}
