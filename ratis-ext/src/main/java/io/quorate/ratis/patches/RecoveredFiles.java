package io.quorate.ratis.patches;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Makes durable what is read from a group's log when it is opened, because Ratis 3.3.0 assumes that
 * all of it is. It may be only in memory, if the process ended before an fsync; and after a failed
 * fsync the kernel treats what is in memory as written, so that another fsync has no effect. What
 * may have been written last is therefore written again. All methods block.
 *
 * <p>Upstream: not reported. Fails without it: {@code RecoveredRaftLogTest} of the torture. Can go
 * when Ratis makes durable what it reads before it counts as flushed.
 */
final class RecoveredFiles {
  private static final int CHUNK_BYTES = 1 << 20;

  private RecoveredFiles() {}

  /**
   * Writes the first {@code bytes} bytes of a file again and syncs the file. If the process ends
   * meanwhile, the content of the file is unchanged.
   */
  static void rewrite(Path file, long bytes) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocateDirect((int) Math.min(CHUNK_BYTES, Math.max(bytes, 1)));
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      for (long at = 0; at < bytes; at += chunk.limit()) {
        chunk.clear().limit((int) Math.min(chunk.capacity(), bytes - at));
        readFully(channel, chunk, at);
        writeFully(channel, chunk.flip(), at);
      }
      channel.force(true);
    }
  }

  private static void readFully(FileChannel from, ByteBuffer into, long at) throws IOException {
    for (long position = at; into.hasRemaining(); ) {
      int count = from.read(into, position);
      if (count < 0) {
        throw new IOException("A log file was truncated while it was read.");
      }
      position += count;
    }
  }

  private static void writeFully(FileChannel to, ByteBuffer from, long at) throws IOException {
    for (long position = at; from.hasRemaining(); ) {
      position += to.write(from, position);
    }
  }
}
