package io.quorate.benchmarks.report;

import io.quorate.common.ShutdownHook;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the measurement of a thread early when the JVM shuts down, as after SIGINT or SIGTERM, and
 * delays the end of the JVM until that thread has reported what was measured, for a minute at most.
 *
 * <p>Created, used and closed by the measuring thread.
 */
public final class InterruptAtShutdown implements AutoCloseable {
  /** Includes the end of all clusters, which other hooks stop at the same time. */
  private static final int REPORT_SECONDS_MAX = 60;

  private final Thread measuring = Thread.currentThread();
  private final CountDownLatch reported = new CountDownLatch(1);
  private final ShutdownHook hook = new ShutdownHook("measurement-interrupt", this::interrupt);
  private boolean isMeasuring = true;

  /** From now on the calling thread is interrupted when the JVM shuts down. */
  public InterruptAtShutdown() {
    hook.register();
  }

  private void interrupt() {
    synchronized (this) {
      if (isMeasuring) {
        measuring.interrupt();
      }
    }
    try {
      reported.await(REPORT_SECONDS_MAX, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Ends the measurement: the thread is not interrupted any more, so that it can write files. An
   * interrupt that it has not noticed is cleared.
   */
  public synchronized void measured() {
    isMeasuring = false;
    Thread.interrupted();
  }

  /** Ends the report: the JVM may end. */
  @Override
  public void close() {
    reported.countDown();
    hook.close();
  }
}
