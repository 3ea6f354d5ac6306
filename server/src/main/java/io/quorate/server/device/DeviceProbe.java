package io.quorate.server.device;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.DoubleConsumer;

/**
 * Measures how fast the device under a directory writes: random writes of blocks of 8 MiB, as ALOR
 * does with {@code fio --bs=8m --rw=randwrite}, and then writes of 4 KiB that are each followed by
 * an fsync, which limit a consensus log.
 *
 * <p>Blocks are written with direct I/O where the file system has it, and otherwise each is
 * followed by an fsync, so that the device is measured and not the page cache. They are
 * incompressible and differ from each other. Everything is written to one file, whose blocks are
 * allocated before they are measured, as those of a consensus log are.
 */
public final class DeviceProbe {
  /** The temporary file, in the measured directory. */
  public static final String FILE = "device-probe.tmp";

  private static final int BLOCK_BYTES = 8 << 20;
  private static final int FILE_BYTES_MAX = 64 << 20;
  private static final int FILE_BYTES_MIN = 1 << 20;
  private static final int RECORD_BYTES = 4096;

  /** The file has at most this fraction of the free space, 3 percent. */
  private static final int FREE_SPACE_DIVISOR = 32;

  private final Path file;
  private final int blockBytes;
  private final long fileBytes;
  private final long startNanos = System.nanoTime();
  private final long timeNanos;
  private final DoubleConsumer progress;
  private final SplittableRandom random = new SplittableRandom();
  private final ByteBuffer block;
  private long stamp;

  private DeviceProbe(
      Path file, long fileBytes, int alignment, Duration time, DoubleConsumer progress) {
    this.file = file;
    this.blockBytes = (int) Math.min(BLOCK_BYTES, fileBytes);
    this.fileBytes = fileBytes;
    this.timeNanos = time.toNanos();
    this.progress = progress;
    this.block =
        ByteBuffer.allocateDirect(blockBytes + alignment)
            .alignedSlice(alignment)
            .slice(0, blockBytes);
    fillWithRandomBytes(block, random);
  }

  /**
   * Measures the device. Blocks for about the given time, and longer if one write or fsync takes
   * longer than its share of it: each part of the measurement is done at least once. Writes a file
   * {@link #FILE} of at most 64 MiB and 3 % of the free space, and removes it, also one that a
   * killed process has left. With less than 256 MiB of free space, the blocks are smaller than 8
   * MiB, and the measured speed is lower.
   *
   * @param directory must exist; measured together with what else uses its device
   * @param time positive; below a second, the result is inaccurate
   * @param progress receives the part of the time that has passed, from 0 to 1, on this thread
   * @throws IOException if the directory does not exist or cannot be written, less than 32 MiB are
   *     free, or the device fails; the file is removed then too, if that is possible
   */
  public static DeviceSpeed measure(Path directory, Duration time, DoubleConsumer progress)
      throws IOException {
    if (!Files.exists(directory)) {
      throw new NoSuchFileException(directory.toString());
    }
    if (!Files.isDirectory(directory)) {
      throw new NotDirectoryException(directory.toString());
    }
    removeLeftovers(directory);
    FileStore store = Files.getFileStore(directory);
    int alignment = (int) Math.max(RECORD_BYTES, store.getBlockSize());
    long bytes = Math.min(FILE_BYTES_MAX, store.getUsableSpace() / FREE_SPACE_DIVISOR);
    if (bytes < FILE_BYTES_MIN) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "The device of %s cannot be measured, because it has only %d MiB of free space",
              directory,
              store.getUsableSpace() >> 20));
    }
    Path file = directory.resolve(FILE);
    try {
      return new DeviceProbe(file, bytes - bytes % alignment, alignment, time, progress).run();
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /**
   * Removes the file of a measurement whose process was killed. Blocks.
   *
   * @throws IOException if it exists and cannot be removed
   */
  public static void removeLeftovers(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(FILE));
  }

  private DeviceSpeed run() throws IOException {
    double bytesPerSecond;
    try {
      bytesPerSecond = writeBlocks(true);
    } catch (IOException | UnsupportedOperationException e) {
      bytesPerSecond = writeBlocksAfter(e);
    }
    double syncsPerSecond = syncRecords();
    return new DeviceSpeed(
        Math.max(1, Math.round(bytesPerSecond)), Math.max(1, Math.round(syncsPerSecond)));
  }

  /**
   * Without direct I/O: some file systems reject the option, and others each write. If the device
   * has failed, it fails again, and both failures are reported.
   */
  private double writeBlocksAfter(Exception withDirect) throws IOException {
    try {
      Files.deleteIfExists(file);
      return writeBlocks(false);
    } catch (IOException e) {
      e.addSuppressed(withDirect);
      throw e;
    }
  }

  /** Allocates the blocks, in a quarter of the time, and overwrites them in half of it. */
  private double writeBlocks(boolean direct) throws IOException {
    OpenOption[] options =
        direct
            ? new OpenOption[] {
              StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT
            }
            : new OpenOption[] {StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE};
    try (FileChannel channel = FileChannel.open(file, options)) {
      int blocks = 0;
      do {
        writeBlock(channel, blocks, direct);
        blocks++;
      } while ((blocks + 1L) * blockBytes <= fileBytes && isBefore(0.25));
      channel.force(true);

      long began = System.nanoTime();
      long written = 0;
      do {
        writeBlock(channel, random.nextInt(blocks), direct);
        written += blockBytes;
      } while (isBefore(0.75));
      // Not only into the device's own cache.
      channel.force(false);
      return written / seconds(System.nanoTime() - began);
    }
  }

  private void writeBlock(FileChannel channel, int number, boolean direct) throws IOException {
    for (int at = 0; at < blockBytes; at += RECORD_BYTES) {
      block.putLong(at, ++stamp);
    }
    write(channel, block.clear(), (long) number * blockBytes);
    if (!direct) {
      channel.force(false);
    }
    reportProgress();
  }

  /** Overwrites the file from its start on, and syncs each record, in the remaining time. */
  private double syncRecords() throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      long began = System.nanoTime();
      long records = channel.size() / RECORD_BYTES;
      long synced = 0;
      do {
        block.clear().limit(RECORD_BYTES).putLong(0, ++stamp);
        write(channel, block, synced % records * RECORD_BYTES);
        channel.force(false);
        synced++;
        reportProgress();
      } while (isBefore(1));
      return synced / seconds(System.nanoTime() - began);
    }
  }

  private static void write(FileChannel channel, ByteBuffer from, long position)
      throws IOException {
    long at = position;
    while (from.hasRemaining()) {
      at += channel.write(from, at);
    }
  }

  private void reportProgress() {
    progress.accept(Math.min(1, (double) (System.nanoTime() - startNanos) / timeNanos));
  }

  private boolean isBefore(double part) {
    return System.nanoTime() - startNanos < part * timeNanos;
  }

  private static double seconds(long nanos) {
    return Math.max(1, nanos) / 1e9;
  }

  private static void fillWithRandomBytes(ByteBuffer buffer, SplittableRandom random) {
    byte[] bytes = new byte[buffer.capacity()];
    random.nextBytes(bytes);
    buffer.put(bytes);
  }
}
