package io.quorate.benchmarks.limits;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Appends small records to a file and syncs each, and writes large blocks one after the other and
 * syncs each. The blocks of the file are allocated before they are measured, as those of a
 * consensus log are; at its end it is overwritten from its start.
 */
final class DiskProbe implements LimitProbe {
  private static final int RECORD_BYTES = 1 << 10;
  private static final int BLOCK_BYTES = 8 << 20;
  private static final int FILE_BYTES = 4 * BLOCK_BYTES;
  private static final double BYTES_PER_MB = 1e6;

  private final FileChannel file;

  /** Incompressible. */
  private final ByteBuffer block;

  private long position;
  private long stamp;

  private DiskProbe(FileChannel file) {
    this.file = file;
    byte[] random = new byte[BLOCK_BYTES];
    new SplittableRandom().nextBytes(random);
    this.block = ByteBuffer.allocateDirect(BLOCK_BYTES).put(random);
  }

  /** Creates the file, of 32 MiB. Blocks. */
  static DiskProbe open(Path path) throws IOException {
    FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    DiskProbe probe = new DiskProbe(file);
    try {
      for (int written = 0; written < FILE_BYTES; written += BLOCK_BYTES) {
        probe.append(BLOCK_BYTES);
      }
      file.force(true);
      return probe;
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public Map<Limit, Double> measure(Duration time) throws IOException {
    Repetitions records = Repetitions.run(time, () -> appendSynced(RECORD_BYTES));
    position = 0;
    Repetitions blocks = Repetitions.run(time, () -> appendSynced(BLOCK_BYTES));
    return Map.of(
        Limit.SYNC_RATE,
        records.perSecond(),
        Limit.SYNC_P50,
        records.p50Millis(),
        Limit.DISK_BANDWIDTH,
        blocks.perSecond() * BLOCK_BYTES / BYTES_PER_MB);
  }

  private void appendSynced(int bytes) throws IOException {
    append(bytes);
    file.force(false);
  }

  private void append(int bytes) throws IOException {
    if (position + bytes > FILE_BYTES) {
      position = 0;
    }
    block.clear().limit(bytes).putLong(0, ++stamp);
    while (block.hasRemaining()) {
      position += file.write(block, position);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
