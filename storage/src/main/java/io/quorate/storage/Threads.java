package io.quorate.storage;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Threads of this module: named, and never abandoned inside the database. */
final class Threads {
  private Threads() {}

  static ThreadFactory named(String prefix) {
    AtomicInteger number = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, prefix + "-" + number.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }

  /**
   * Waits until an executor that was shut down has ended, however long that takes: freeing the
   * database under a thread that is in it would end the process.
   */
  static void awaitEnd(ExecutorService executor) {
    boolean interrupted = false;
    boolean ended = false;
    while (!ended) {
      try {
        ended = executor.awaitTermination(1, TimeUnit.HOURS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
