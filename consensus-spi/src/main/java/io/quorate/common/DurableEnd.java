package io.quorate.common;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The end of what is durable of a log, kept in a file beside those of the log: a log that was cut,
 * or whose newest file is missing, cannot show that itself. The mark is written after each fsync of
 * the log and before the fsync counts, and is itself synced once a second. So after the end of the
 * process it is exact, and after a power loss it may be that of a second earlier; it never states
 * more than is durable. It fits into one sector, so it is never torn.
 *
 * <p>Every method blocks. Not thread-safe.
 */
public final class DurableEnd implements Closeable {
  private static final String NAME = "durable-end";
  private static final String STATES = "how far a log is durable";
  private static final int FORMAT = 0x51444531;
  private static final int VERSION = 1;
  private static final int CHECKED_BYTES = 2 * Integer.BYTES + 2 * Long.BYTES;
  private static final int BYTES = CHECKED_BYTES + Integer.BYTES;
  private static final long SYNC_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Path directory;
  private final FileChannel channel;
  private final LongSupplier nanoClock;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BYTES);
  private Mark mark;

  /** Whether a mark was synced since this object exists. */
  private boolean isSynced;

  private long syncedNanos;

  /**
   * What is known of a log.
   *
   * @param segment the number of its newest file; negative if there is none
   * @param bytes how many bytes of that file are durable
   */
  public record Mark(long segment, long bytes) {
    /** Of a log without files. */
    private static final Mark NONE = new Mark(-1, 0);

    /** Whether a file must have {@link #bytes()} bytes. */
    public boolean isOf(long file) {
      return segment == file;
    }
  }

  private DurableEnd(Path directory, FileChannel channel, Mark mark, LongSupplier nanoClock) {
    this.directory = directory;
    this.channel = channel;
    this.mark = mark;
    this.nanoClock = nanoClock;
  }

  /** The file with the mark of the log in a directory. */
  public static Path file(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Reads the mark of the log in a directory; empty if it has none.
   *
   * @throws DamagedLogException if the mark is malformed or cannot be read
   */
  public static Optional<Mark> read(Path directory) throws IOException {
    Path file = file(directory);
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    ByteBuffer bytes = ReplicaReads.checked(file, BYTES, STATES);
    if (bytes.getInt(0) != FORMAT) {
      throw ReplicaReads.altered(file, STATES);
    }
    return Optional.of(
        new Mark(bytes.getLong(2 * Integer.BYTES), bytes.getLong(2 * Integer.BYTES + 8)));
  }

  /** Creates or replaces a mark; durable when the call returns. */
  public static void replace(Path directory, Mark mark) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(BYTES);
    encode(mark, bytes);
    DurableFiles.replace(file(directory), directory.resolve(NAME + ".draft"), bytes);
  }

  /** Opens the mark of the log in a directory, or creates one, to be changed. */
  public static DurableEnd open(Path directory, LongSupplier nanoClock) throws IOException {
    if (!Files.exists(file(directory))) {
      replace(directory, Mark.NONE);
    }
    Mark present = read(directory).orElseThrow();
    FileChannel channel = FileChannel.open(file(directory), StandardOpenOption.WRITE);
    return new DurableEnd(directory, channel, present, nanoClock);
  }

  /**
   * Records that an fsync of the newest file of the log has succeeded.
   *
   * @param segment its number
   * @param bytes its length without what was filled ahead
   */
  public void reached(long segment, long bytes) throws IOException {
    boolean isNew = !mark.isOf(segment);
    if (isNew) {
      // The file itself must not be missing after a power loss.
      DurableFiles.syncDirectory(directory);
    }
    write(new Mark(segment, bytes));
    if (!isSynced || isNew || nanoClock.getAsLong() - syncedNanos >= SYNC_NANOS) {
      sync();
    }
  }

  private void sync() throws IOException {
    channel.force(false);
    isSynced = true;
    syncedNanos = nanoClock.getAsLong();
  }

  private void write(Mark changed) throws IOException {
    encode(changed, buffer.clear());
    while (buffer.hasRemaining()) {
      channel.write(buffer, buffer.position());
    }
    mark = changed;
  }

  private static void encode(Mark mark, ByteBuffer into) {
    into.putInt(FORMAT).putInt(VERSION).putLong(mark.segment()).putLong(mark.bytes());
    into.putInt(Checksums.of(into.slice(0, CHECKED_BYTES))).flip();
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
