package io.quorate.server.device;

import io.quorate.common.Failpoint;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Measures the fsyncs of a device while a node runs: twice a second, a thread of its own overwrites
 * a file of 4 KiB in the data directory and syncs it. An fsync begins half a second after the one
 * before, or as soon as that has returned.
 *
 * <p>Any thread may read the measurements. None of these calls waits for the device.
 */
public final class SyncWatch implements AutoCloseable {
  /** The time from one fsync to the next. */
  public static final Duration INTERVAL = Duration.ofMillis(500);

  /** Before an fsync; the subject is its file. */
  static final Failpoint BEFORE_SYNC = Failpoint.named("server.sync-watch.before-sync");

  private static final Logger LOG = LoggerFactory.getLogger(SyncWatch.class);
  private static final String FILE = "sync-watch";
  private static final int RECORD_BYTES = 4096;

  /** Those of half a minute, if nothing takes them. */
  private static final int SAMPLES_MAX = 64;

  private static final int AVERAGE_OVER = 8;
  private static final long CLOSE_TIMEOUT_MILLIS = 3000;

  private final Path file;
  private final FileChannel channel;
  private final Thread thread;
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ByteBuffer record = ByteBuffer.allocateDirect(RECORD_BYTES);
  private long written;

  /** Guards the fields below; never held while the device is used. */
  private final Object lock = new Object();

  private final ArrayDeque<Long> samples = new ArrayDeque<>();
  private boolean isSyncing;
  private long beganNanos;
  private long averageNanos;
  private long completed;
  private long failed;

  private SyncWatch(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
    this.thread = new Thread(this::run, "quorate-sync-watch");
    thread.setDaemon(true);
  }

  /**
   * Begins to measure. Blocks while the file is created.
   *
   * @param directory must exist, and must not be watched by another instance
   * @throws IOException if the file cannot be created; nothing runs then
   */
  public static SyncWatch start(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    SyncWatch watch = new SyncWatch(file, channel);
    watch.thread.start();
    return watch;
  }

  /** The measurements so far. */
  public SyncStatus status() {
    synchronized (lock) {
      return new SyncStatus(averageNanos, inProgressNanos(), completed, failed);
    }
  }

  /**
   * The fsyncs that have completed since the previous call, the last 64 at most, and the one in
   * progress. For one caller, because each completed one is returned once.
   */
  public SyncSamples take() {
    synchronized (lock) {
      List<Long> taken = new ArrayList<>(samples);
      samples.clear();
      return new SyncSamples(taken, inProgressNanos());
    }
  }

  private long inProgressNanos() {
    return isSyncing ? Math.max(1, System.nanoTime() - beganNanos) : 0;
  }

  private void run() {
    try (channel) {
      long next = System.nanoTime();
      while (!closing.await(next - System.nanoTime(), TimeUnit.NANOSECONDS)) {
        next = System.nanoTime() + INTERVAL.toNanos();
        sync();
      }
      Files.deleteIfExists(file);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      LOG.atDebug().setCause(e).log("The file of measured fsyncs could not be removed");
    }
  }

  private void sync() {
    // Other content each time: a device may skip what it has already.
    record.clear().putLong(0, ++written);
    begin();
    try {
      channel.write(record, 0);
      BEFORE_SYNC.reached(file);
      channel.force(false);
      end();
    } catch (IOException e) {
      boolean isFirst = fail();
      LOG.atLevel(isFirst ? Level.WARN : Level.DEBUG)
          .addKeyValue("file", file)
          .addKeyValue("error", e)
          .log("An fsync that measures the device has failed");
    }
  }

  private void begin() {
    synchronized (lock) {
      isSyncing = true;
      beganNanos = System.nanoTime();
    }
  }

  private void end() {
    synchronized (lock) {
      long nanos = inProgressNanos();
      isSyncing = false;
      averageNanos = completed == 0 ? nanos : averageNanos + (nanos - averageNanos) / AVERAGE_OVER;
      completed++;
      samples.add(nanos);
      if (samples.size() > SAMPLES_MAX) {
        samples.remove();
      }
    }
  }

  /** Whether it is the first failure. */
  private boolean fail() {
    synchronized (lock) {
      isSyncing = false;
      failed++;
      return failed == 1;
    }
  }

  /**
   * Stops measuring, and removes the file. Blocks for 3 s at most: an fsync that has not returned
   * by then is left to its thread, which ends and removes the file when it returns.
   */
  @Override
  public void close() {
    closing.countDown();
    try {
      // No interrupt: it would close the channel, which may wait for a hung device as well.
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
