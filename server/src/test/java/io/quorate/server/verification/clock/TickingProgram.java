package io.quorate.server.verification.clock;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Tells the wall clock's time, and how long it has really waited since it did last. */
final class TickingProgram {
  static final int TICK_MILLIS = 100;

  private TickingProgram() {}

  public static void main(String[] arguments) throws InterruptedException {
    while (true) {
      long start = System.nanoTime();
      // Waits of each kind that a JVM knows take their time.
      new CountDownLatch(1).await(TICK_MILLIS / 2, TimeUnit.MILLISECONDS);
      long end = start + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
      LockSupport.parkNanos(end - System.nanoTime());
      long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      System.out.println(System.currentTimeMillis() + " " + waited);
    }
  }
}
