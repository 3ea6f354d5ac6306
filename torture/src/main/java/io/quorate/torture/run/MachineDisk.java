package io.quorate.torture.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures the latency of the disk of this machine, which holds the disks of all nodes: a thread of
 * its own calls fsync periodically. While an fsync takes long, no majority is healthy, whatever the
 * nodes do. Safe for use by many threads.
 */
final class MachineDisk implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final long FILE_BYTES_MAX = 1 << 20;

  /** A region may still be recovering from a slow fsync that ended less than this ago. */
  private static final Duration RECOVERY_MAX = Duration.ofSeconds(3);

  private final FileChannel file;
  private final Thread thread;
  private long syncStartNanos;
  private boolean isSyncing;
  private long longestNanos;
  private long slowestRecentNanos;
  private long slowestRecentEndNanos;
  private volatile boolean isClosed;

  /**
   * @param directory contains the disks of the nodes
   * @throws IOException if no file can be written there
   */
  static MachineDisk of(Path directory) throws IOException {
    MachineDisk disk =
        new MachineDisk(
            FileChannel.open(
                directory.resolve("machine-disk"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE));
    disk.thread.start();
    return disk;
  }

  private MachineDisk(FileChannel file) {
    this.file = file;
    this.thread = new Thread(this::measure, "torture-machine-disk");
    thread.setDaemon(true);
  }

  /**
   * Starts a measurement, which includes the slowest fsync that ended shortly before, and the whole
   * of an fsync in progress.
   */
  synchronized void begin() {
    boolean isRecent = System.nanoTime() - slowestRecentEndNanos < RECOVERY_MAX.toNanos();
    longestNanos = isRecent ? slowestRecentNanos : 0;
  }

  /** The longest fsync since {@link #begin}, including one in progress. */
  synchronized Duration longestSync() {
    long current = isSyncing ? System.nanoTime() - syncStartNanos : 0;
    return Duration.ofNanos(Math.max(longestNanos, current));
  }

  private void measure() {
    ByteBuffer bytes = ByteBuffer.allocate(512);
    while (!isClosed) {
      try {
        synchronized (this) {
          isSyncing = true;
          syncStartNanos = System.nanoTime();
        }
        // The file grows, so that fsync waits for the file system's journal, as on nodes' disks.
        if (file.size() >= FILE_BYTES_MAX) {
          file.truncate(0);
        }
        file.write(bytes.clear(), file.size());
        file.force(true);
      } catch (IOException e) {
        // The file is closed, or the disk is full; then the next fsync is measured when it is not.
      } finally {
        synchronized (this) {
          isSyncing = false;
          syncEnded(System.nanoTime());
        }
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private synchronized void syncEnded(long nowNanos) {
    long durationNanos = nowNanos - syncStartNanos;
    longestNanos = Math.max(longestNanos, durationNanos);
    boolean isExpired = nowNanos - slowestRecentEndNanos >= RECOVERY_MAX.toNanos();
    if (isExpired || durationNanos >= slowestRecentNanos) {
      slowestRecentNanos = durationNanos;
      slowestRecentEndNanos = nowNanos;
    }
  }

  @Override
  public void close() throws IOException {
    isClosed = true;
    LockSupport.unpark(thread);
    file.close();
  }
}
