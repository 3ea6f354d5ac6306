package io.quorate.rabia.log;

import io.quorate.common.Checksums;
import io.quorate.common.DamagedLogException;
import io.quorate.common.DurableFiles;
import io.quorate.common.ReplicaReads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;

/**
 * A file outside of a log's directory that states where the log ends. Without it a log whose
 * directory was removed, or that lost its end, would be mistaken for a new or a shorter one, and
 * its replica would contradict its earlier votes (P1). All methods block; one thread at a time.
 *
 * <p>The file is shorter than a sector and is overwritten in place, so that it is never torn. What
 * it states is durable in the log already, whichever of its versions a power loss leaves.
 */
final class LogEnd implements AutoCloseable {
  /**
   * The end of a log, or a former one.
   *
   * @param segment the newest segment
   * @param record the sequence number of a record that is durable, like all before it; 0 if none is
   *     known to be
   */
  record Mark(long segment, long record) {}

  private static final long MAGIC = 0x5152_4c4f_4745_4e44L; // QRLOGEND

  private static final int BYTES = 3 * Long.BYTES + Integer.BYTES;

  private final Path file;
  private final ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES);
  private FileChannel channel;
  private long segment;
  private boolean synced;

  LogEnd(Path file) {
    this.file = file.toAbsolutePath();
  }

  Path file() {
    return file;
  }

  /**
   * The recorded end. Every segment that a sent message depends on is the recorded one or an older
   * one. So is every record, unless a power loss took back what {@link #advance} wrote last.
   *
   * @return empty if the log was never begun
   * @throws DamagedLogException if the file is malformed or cannot be read
   */
  Optional<Mark> read() throws IOException {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    ByteBuffer found = ByteBuffer.wrap(ReplicaReads.all(file, BYTES));
    if (found.limit() != BYTES
        || found.getLong() != MAGIC
        || found.getInt(BYTES - Integer.BYTES)
            != Checksums.of(found.slice(0, BYTES - Integer.BYTES))) {
      throw LogDamage.at(file, 0, "it does not state the end of a log");
    }
    return Optional.of(new Mark(found.getLong(), found.getLong()));
  }

  /** Records the end durably, before any record in a new segment is reported durable. */
  void begin(Mark end) throws IOException {
    try {
      if (channel == null) {
        Files.createDirectories(file.getParent());
        DurableFiles.replace(file, file.resolveSibling(file.getFileName() + ".new"), encoded(end));
        channel = FileChannel.open(file, StandardOpenOption.WRITE);
      } else {
        write(end);
        channel.force(false);
      }
      segment = end.segment();
      synced = true;
    } catch (IOException | RuntimeException e) {
      closeAfter(e);
      throw e;
    }
  }

  /**
   * Records that the log is durable up to a record, before that is reported. A process that ends,
   * in whatever way, leaves the mark; a power loss leaves it or an earlier one, at the oldest that
   * of {@link #begin} or of the last {@link #close}. An fsync here would double those of the log.
   */
  void advance(long record) throws IOException {
    synced = false;
    write(new Mark(segment, record));
  }

  private void write(Mark end) throws IOException {
    ByteBuffer from = encoded(end);
    for (long at = 0; from.hasRemaining(); ) {
      at += channel.write(from, at);
    }
  }

  private ByteBuffer encoded(Mark end) {
    bytes.clear().putLong(MAGIC).putLong(end.segment()).putLong(end.record());
    return bytes.putInt(Checksums.of(bytes.slice(0, BYTES - Integer.BYTES))).flip();
  }

  private void closeAfter(Exception failure) {
    if (channel != null) {
      try {
        channel.close();
      } catch (IOException e) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Makes what was recorded durable. */
  @Override
  public void close() throws IOException {
    if (channel != null) {
      try {
        if (!synced) {
          channel.force(false);
        }
      } finally {
        channel.close();
      }
    }
  }
}
