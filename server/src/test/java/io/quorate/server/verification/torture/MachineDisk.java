package io.quorate.server.verification.torture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches the disk of this machine, on which the disks of all nodes are: an fsync every so often,
 * on a thread of its own. Where that takes long, no majority is well whatever the nodes do. Safe
 * for use by many threads.
 */
final class MachineDisk implements AutoCloseable {
  private static final Duration PAUSE = Duration.ofMillis(50);
  private static final long FILE_BYTES_MAX = 1 << 20;

  /** A slow fsync shorter ago than this may still be what a region recovers from. */
  private static final Duration RECOVERY = Duration.ofSeconds(3);

  private final FileChannel file;
  private final Thread thread;
  private long syncBeganNanos;
  private boolean syncs;
  private long longestNanos;
  private long slowestRecentNanos;
  private long slowestRecentEndedNanos;
  private volatile boolean closed;

  /**
   * @param directory where the disks of the nodes are
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
    this.thread = new Thread(this::watch, "torture-machine-disk");
    thread.setDaemon(true);
  }

  /**
   * Time counts from here on, and a little before; an fsync that goes on counts from its own
   * beginning.
   */
  synchronized void begin() {
    boolean isRecent = System.nanoTime() - slowestRecentEndedNanos < RECOVERY.toNanos();
    longestNanos = isRecent ? slowestRecentNanos : 0;
  }

  /** The longest fsync since {@link #begin}, one that goes on included. */
  synchronized Duration longestSync() {
    long present = syncs ? System.nanoTime() - syncBeganNanos : 0;
    return Duration.ofNanos(Math.max(longestNanos, present));
  }

  private void watch() {
    ByteBuffer bytes = ByteBuffer.allocate(512);
    while (!closed) {
      try {
        synchronized (this) {
          syncs = true;
          syncBeganNanos = System.nanoTime();
        }
        // The file grows, so that this waits for the file system's journal, as the nodes' disks do.
        if (file.size() >= FILE_BYTES_MAX) {
          file.truncate(0);
        }
        file.write(bytes.clear(), file.size());
        file.force(true);
      } catch (IOException e) {
        return; // Closed, or full, which the nodes' own disks do not depend on.
      } finally {
        synchronized (this) {
          syncs = false;
          ended(System.nanoTime());
        }
      }
      LockSupport.parkNanos(PAUSE.toNanos());
    }
  }

  private synchronized void ended(long nowNanos) {
    long took = nowNanos - syncBeganNanos;
    longestNanos = Math.max(longestNanos, took);
    boolean isForgotten = nowNanos - slowestRecentEndedNanos >= RECOVERY.toNanos();
    if (isForgotten || took >= slowestRecentNanos) {
      slowestRecentNanos = took;
      slowestRecentEndedNanos = nowNanos;
    }
  }

  @Override
  public void close() throws IOException {
    closed = true;
    LockSupport.unpark(thread);
    file.close();
  }
}
