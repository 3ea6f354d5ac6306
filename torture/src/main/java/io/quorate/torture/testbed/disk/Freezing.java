package io.quorate.torture.testbed.disk;

import io.quorate.common.Threads;
import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Freezes a file system repeatedly, for a bounded time. Threads that write to it block, and not
 * even SIGKILL ends their process. A separate thread thaws the file system, so that waiting for
 * such a process ends.
 */
final class Freezing {
  private final Path mount;
  private final Rhythm rhythm;
  private final long endNanos;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch started = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "disk-freezing");
  private volatile IOException failure;

  /** How long the file system is frozen each time, and thawed in between. */
  record Rhythm(Duration frozen, Duration thawed) {}

  private Freezing(Path mount, Rhythm rhythm, Duration maxDuration) {
    this.mount = mount;
    this.rhythm = rhythm;
    this.endNanos = System.nanoTime() + maxDuration.toNanos();
  }

  /**
   * Starts freezing. Blocks until the file system is frozen for the first time.
   *
   * @throws IOException if the file system cannot be frozen; then it is not frozen
   */
  static Freezing begin(Path mount, Rhythm rhythm, Duration maxDuration) throws IOException {
    Freezing freezing = new Freezing(mount, rhythm, maxDuration);
    freezing.thread.setDaemon(true);
    freezing.thread.start();
    await(freezing.started);
    if (freezing.failure != null) {
      throw freezing.failure;
    }
    return freezing;
  }

  boolean isActive() {
    return thread.isAlive();
  }

  /** Stops freezing. Blocks until the file system is thawed. */
  void stop() {
    stopping.countDown();
    Threads.awaitEnd(thread);
  }

  static void thaw(Path mount) throws IOException {
    Programs.run("fsfreeze", "--unfreeze", mount.toString());
  }

  private void run() {
    try {
      boolean continues = true;
      while (continues) {
        Programs.run("fsfreeze", "--freeze", mount.toString());
        try {
          started.countDown();
          pause(rhythm.frozen());
        } finally {
          thaw(mount);
        }
        continues = !pause(rhythm.thawed()) && System.nanoTime() < endNanos;
      }
    } catch (IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      // No thread interrupts this one; the file system is thawed in any case.
      Thread.currentThread().interrupt();
    } finally {
      started.countDown();
    }
  }

  /** Waits, and returns whether freezing is to stop. */
  private boolean pause(Duration time) throws InterruptedException {
    long nanos = Math.min(time.toNanos(), endNanos - System.nanoTime());
    return stopping.await(nanos, TimeUnit.NANOSECONDS);
  }

  private static void await(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
