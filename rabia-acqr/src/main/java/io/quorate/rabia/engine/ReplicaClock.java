package io.quorate.rabia.engine;

import java.util.concurrent.TimeUnit;

/**
 * The clock of replicas: monotonic, and close to wall-clock time at the start of the process, so
 * that batches of different nodes can be ordered by time (D2). Safety does not depend on it.
 */
final class ReplicaClock {
  private static final long OFFSET =
      TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis()) - System.nanoTime();

  private ReplicaClock() {}

  static long nanos() {
    return System.nanoTime() + OFFSET;
  }
}
