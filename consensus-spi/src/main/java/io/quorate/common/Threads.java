package io.quorate.common;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Creates named threads, and waits for the end of threads. */
public final class Threads {
  private Threads() {}

  /** Creates daemon threads, named by the prefix and a number. */
  public static ThreadFactory named(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Waits until a thread has ended, however long that takes, also if the caller is interrupted:
   * what the thread uses may then be freed.
   */
  public static void awaitEnd(Thread thread) {
    uninterruptibly(
        () -> {
          thread.join();
          return true;
        });
  }

  /**
   * Waits until a thread has ended, as {@link #awaitEnd(Thread)}.
   *
   * @return false if it has not ended after this time, at most
   */
  public static boolean awaitEnd(Thread thread, long millis) {
    uninterruptibly(
        () -> {
          thread.join(millis);
          return true;
        });
    return !thread.isAlive();
  }

  /**
   * Waits until an executor that was shut down has terminated, as {@link #awaitEnd(Thread)} for a
   * thread.
   */
  public static void awaitEnd(ExecutorService executor) {
    uninterruptibly(() -> executor.awaitTermination(1, TimeUnit.HOURS));
  }

  /** A wait, repeated until it returns true. */
  private interface Wait {
    boolean isOver() throws InterruptedException;
  }

  private static void uninterruptibly(Wait wait) {
    boolean interrupted = false;
    boolean ended = false;
    while (!ended) {
      try {
        ended = wait.isOver();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
