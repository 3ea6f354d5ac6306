package io.quorate.benchmarks.overload;

import io.quorate.benchmarks.kv.Latencies;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Makes a call again and again, each when the one before has ended and a pause is over: what a
 * modest client or a monitor sees. On a thread of its own, until it is closed.
 */
final class Regular implements AutoCloseable {
  private static final double MEDIAN = 50;
  private static final double NEARLY_ALL = 99;

  private final Call call;
  private final Duration pause;
  private final Latencies latencies = new Latencies();
  private final LongAdder failures = new LongAdder();
  private final Thread thread;
  private volatile boolean closed;

  /** Blocks until it has succeeded. */
  interface Call {
    void run() throws Exception;
  }

  /**
   * The calls until now.
   *
   * @param p50 of those that succeeded, in milliseconds
   * @param p99 likewise
   */
  record Seen(long calls, long failed, double p50, double p99) {
    static final Seen NOTHING = new Seen(0, 0, 0, 0);
  }

  Regular(String name, Duration pause, Call call) {
    this.call = call;
    this.pause = pause;
    this.thread = new Thread(this::run, name);
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try {
      while (!closed) {
        long start = System.nanoTime();
        try {
          call.run();
          latencies.record(System.nanoTime() - start);
        } catch (InterruptedException e) {
          return;
        } catch (Exception e) {
          failures.increment();
        }
        TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      }
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  /** Ends the calls. Blocks until the last one has ended. */
  Seen end() throws InterruptedException {
    closed = true;
    thread.join();
    return new Seen(
        latencies.count() + failures.sum(),
        failures.sum(),
        latencies.millis(MEDIAN),
        latencies.millis(NEARLY_ALL));
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
