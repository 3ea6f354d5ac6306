package io.quorate.rabia.engine;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Detects that the free space of the engine's disk is below a reserve. Replicas then process no
 * messages: the writes of other nodes would fill the disk completely, and a log that cannot be
 * written ends the process. They continue when a quarter more than the reserve is free.
 *
 * <p>A thread of its own checks twice a second, so that a file system that hangs blocks no other
 * thread.
 */
final class DiskReserve implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
  private static final long CHECK_MILLIS = 500;

  /** Reads the free space of the disk, in bytes. */
  @FunctionalInterface
  interface FreeBytes {
    long get() throws IOException;
  }

  private final FreeBytes freeBytes;
  private final long reserveBytes;
  private final Runnable onChange;
  private final ScheduledExecutorService thread;
  private volatile boolean low;

  /**
   * @param reserveBytes the reserve; 0 disables the check
   * @param onChange called when {@link #isLow} has changed, on the thread that checked
   */
  DiskReserve(FreeBytes freeBytes, long reserveBytes, Runnable onChange) {
    this.freeBytes = freeBytes;
    this.reserveBytes = reserveBytes;
    this.onChange = onChange;
    ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread created = new Thread(task, "quorate-rabia-disk-reserve");
              created.setDaemon(true);
              return created;
            });
    this.thread = executor;
  }

  static FreeBytes of(Path directory) {
    return () -> Files.getFileStore(directory).getUsableSpace();
  }

  /** Checks now, and periodically from now on. */
  void start() {
    if (reserveBytes > 0) {
      check();
      thread.scheduleWithFixedDelay(this::check, CHECK_MILLIS, CHECK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Any thread. */
  boolean isLow() {
    return low;
  }

  void check() {
    long free;
    try {
      free = freeBytes.get();
    } catch (IOException e) {
      // Whether the disk is full is unknown: the state stays as it is.
      return;
    }
    boolean isLow = free < (low ? reserveBytes + reserveBytes / 4 : reserveBytes);
    if (isLow != low) {
      low = isLow;
      if (isLow) {
        LOG.warn(
            "The disk is nearly full; replicas of this node take no part in writes: {} MiB are"
                + " free, and rabia.free-space-reserve is {} MiB",
            free >> 20,
            reserveBytes >> 20);
      } else {
        LOG.info("The disk has free space; replicas of this node take part in writes again");
      }
      onChange.run();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
