package io.quorate.ratis.patches;

import io.quorate.common.Checksums;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.common.ReplicaReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * A file beside a group's log that states which snapshot is about to replace the state. Ratis
 * applies no entry before its own log has it durably, so a log that ends before its state is an
 * older one, or damaged; unless the process ended after a snapshot was installed and before the log
 * was discarded, which the file shows. It stays until the replica is opened again. All methods
 * block.
 *
 * <p>Part of {@link LogVerifier}.
 */
public final class SnapshotMark {
  private static final String NAME = "snapshot-installation";
  private static final String STATES = "what snapshot was installed";
  private static final int CHECKED_BYTES = Integer.BYTES + Long.BYTES;
  private static final int BYTES = CHECKED_BYTES + Integer.BYTES;
  private static final int FORMAT = 0x51534e31;

  private SnapshotMark() {}

  /** The file in the directory of a log. */
  public static Path file(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * To be called before a snapshot replaces the state, when nothing is in the log that is not in
   * the snapshot. Durable when the call returns.
   *
   * @param directory of the log
   * @param index of the last entry in the snapshot
   */
  public static void write(Path directory, long index) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES).putInt(FORMAT).putLong(index);
    bytes.putInt(Checksums.of(bytes.slice(0, CHECKED_BYTES))).flip();
    DurableFiles.replace(file(directory), directory.resolve(NAME + ".draft"), bytes);
  }

  /**
   * The index of the last entry in the last snapshot that was to be installed since the replica was
   * opened; empty if there was none.
   *
   * @throws DamagedLogException if the file differs from what was written, or cannot be read
   */
  static OptionalLong read(Path directory) throws IOException {
    Path file = file(directory);
    if (!Files.exists(file)) {
      return OptionalLong.empty();
    }
    ByteBuffer bytes = ReplicaReads.checked(file, BYTES, STATES);
    if (bytes.getInt(0) != FORMAT) {
      throw ReplicaReads.altered(file, STATES);
    }
    return OptionalLong.of(bytes.getLong(Integer.BYTES));
  }

  /** Deletes the file, durably, if it exists. */
  static void delete(Path directory) throws IOException {
    if (Files.deleteIfExists(file(directory))) {
      DurableFiles.syncDirectory(directory);
    }
  }
}
