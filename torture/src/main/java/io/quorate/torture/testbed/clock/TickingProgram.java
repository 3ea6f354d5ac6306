package io.quorate.torture.testbed.clock;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Prints the time of the wall clock and the real duration of its last wait, in milliseconds, one
 * line each {@link #TICK_MILLIS} ms.
 */
final class TickingProgram {
  static final int TICK_MILLIS = 100;

  private TickingProgram() {}

  public static void main(String[] arguments) throws InterruptedException {
    while (true) {
      long start = System.nanoTime();
      // Each kind of timed wait of a JVM must take its full time.
      new CountDownLatch(1).await(TICK_MILLIS / 2, TimeUnit.MILLISECONDS);
      long end = start + TimeUnit.MILLISECONDS.toNanos(TICK_MILLIS);
      LockSupport.parkNanos(end - System.nanoTime());
      long waited = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
      System.out.println(System.currentTimeMillis() + " " + waited);
    }
  }
}
