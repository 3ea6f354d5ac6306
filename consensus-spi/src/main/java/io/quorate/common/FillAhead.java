package io.quorate.common;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Fills the file of a log with zeros ahead of its records, where that pays: an fsync of a file that
 * has its length and its blocks already has nothing to record in the journal of the file system.
 * Where fsyncs cover many bytes, zeros would only be written before the records are written over
 * them, so that a file then grows with its records. So does a short file: there are as many of them
 * as groups, most of which write little. See ADR 0046.
 *
 * <p>Blocks while it writes. Not thread-safe.
 */
public final class FillAhead {
  /** How far a file is filled ahead at a time, and how long it is before, in bytes. */
  public static final int STEP_BYTES = 64 << 10;

  /** A file grows with its records where an fsync covers more bytes than these. */
  static final int SMALL_BYTES = 16 << 10;

  private static final ByteBuffer ZEROS = ByteBuffer.allocateDirect(STEP_BYTES).asReadOnlyBuffer();

  private final FileChannel channel;

  /** The length of the file, with its zeros. */
  private long length;

  /** The end of the records that the last {@link #beforeSync} covered. */
  private long synced;

  /**
   * @param channel of a file that ends with its last record, or with zeros after that
   * @param end the end of the last record, which is durable or is about to be
   */
  public FillAhead(FileChannel channel, long end) throws IOException {
    this.channel = channel;
    this.length = channel.size();
    this.synced = end;
  }

  /**
   * Fills the file if its records have reached its length. Called after records have been written
   * and before the fsync that makes them durable. The position of the channel stays the same.
   *
   * @param end the end of the records
   * @throws IOException if the file cannot be written; zeros may then follow the records
   */
  public void beforeSync(long end) throws IOException {
    boolean pays = end - synced <= SMALL_BYTES && end >= STEP_BYTES;
    synced = end;
    if (end <= length) {
      return;
    }
    length = end;
    if (pays) {
      ByteBuffer zeros = ZEROS.duplicate();
      while (zeros.hasRemaining()) {
        length += channel.write(zeros, length);
      }
    }
  }

  /** The length of the file as of the last {@link #beforeSync}, with its zeros. */
  public long length() {
    return length;
  }
}
