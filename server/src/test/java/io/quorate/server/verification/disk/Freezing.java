package io.quorate.server.verification.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Freezes a file system again and again, for a bounded time: whoever writes to it waits, in a way
 * that not even a kill ends. A thread of its own thaws it, so that who waits for such a process
 * does not wait for ever.
 */
final class Freezing {
  private final Path mount;
  private final Rhythm rhythm;
  private final long endNanos;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final CountDownLatch begun = new CountDownLatch(1);
  private final Thread thread = new Thread(this::run, "disk-freezing");
  private volatile IOException failure;

  /** For how long it is frozen, and thawed in between. */
  record Rhythm(Duration frozen, Duration thawed) {}

  private Freezing(Path mount, Rhythm rhythm, Duration atMost) {
    this.mount = mount;
    this.rhythm = rhythm;
    this.endNanos = System.nanoTime() + atMost.toNanos();
  }

  /**
   * Begins. Blocks until the file system is frozen for the first time.
   *
   * @throws IOException if it cannot be frozen; then it is not
   */
  static Freezing begin(Path mount, Rhythm rhythm, Duration atMost) throws IOException {
    Freezing freezing = new Freezing(mount, rhythm, atMost);
    freezing.thread.setDaemon(true);
    freezing.thread.start();
    await(freezing.begun);
    if (freezing.failure != null) {
      throw freezing.failure;
    }
    return freezing;
  }

  boolean lasts() {
    return thread.isAlive();
  }

  /** Ends it. Blocks until the file system is thawed. */
  void stop() {
    stopping.countDown();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  static void thaw(Path mount) throws IOException {
    Programs.run("fsfreeze", "--unfreeze", mount.toString());
  }

  private void run() {
    try {
      boolean goesOn = true;
      while (goesOn) {
        Programs.run("fsfreeze", "--freeze", mount.toString());
        try {
          begun.countDown();
          pause(rhythm.frozen());
        } finally {
          thaw(mount);
        }
        goesOn = !pause(rhythm.thawed()) && System.nanoTime() < endNanos;
      }
    } catch (IOException e) {
      failure = e;
    } catch (InterruptedException e) {
      // Nobody interrupts it; it is thawed in any case.
      Thread.currentThread().interrupt();
    } finally {
      begun.countDown();
    }
  }

  /** Whether it is to stop. */
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
