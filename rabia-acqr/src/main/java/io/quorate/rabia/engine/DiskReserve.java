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
 * Whether the engine's disk is so full that replicas take no messages any more: others' writes
 * would fill it to the last byte, and a log that finds no room ends the process. They take part
 * again by themselves when there is a quarter more than the reserve.
 *
 * <p>A thread of its own looks twice a second; a file system that hangs keeps nobody else waiting.
 */
final class DiskReserve implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskReserve.class);
  private static final long LOOK_MILLIS = 500;

  /** Tells how much is free. */
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
   * @param reserveBytes 0 to take messages whatever is free
   * @param onChange called when {@link #isLow} has changed, on this reserve's thread
   */
  DiskReserve(FreeBytes freeBytes, long reserveBytes, Runnable onChange) {
    this.freeBytes = freeBytes;
    this.reserveBytes = reserveBytes;
    this.onChange = onChange;
    ScheduledThreadPoolExecutor one =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread created = new Thread(task, "quorate-rabia-disk-reserve");
              created.setDaemon(true);
              return created;
            });
    this.thread = one;
  }

  static FreeBytes of(Path directory) {
    return () -> Files.getFileStore(directory).getUsableSpace();
  }

  /** Looks now, and from now on. */
  void start() {
    if (reserveBytes > 0) {
      look();
      thread.scheduleWithFixedDelay(this::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  /** Any thread. */
  boolean isLow() {
    return low;
  }

  void look() {
    long free;
    try {
      free = freeBytes.get();
    } catch (IOException e) {
      // A disk that does not say is not known to be full.
      return;
    }
    boolean isLow = free < (low ? reserveBytes + reserveBytes / 4 : reserveBytes);
    if (isLow != low) {
      low = isLow;
      if (isLow) {
        LOG.warn(
            "The disk is so full that replicas of this node take no part in writes: {} MiB are free,"
                + " and rabia.free-space-reserve is {} MiB",
            free >> 20,
            reserveBytes >> 20);
      } else {
        LOG.info("There is room on the disk; replicas of this node take part in writes again");
      }
      onChange.run();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
