package io.quorate.benchmarks.paper.testbed;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Reads the counters of all connections repeatedly, because the counters of a connection end with
 * it. Nodes close a connection only after it was idle for some seconds, so a reading in each second
 * has all that was sent on it; only the last second of a connection that breaks is missed.
 */
public final class SocketWatch implements AutoCloseable {
  private static final long INTERVAL_MILLIS = 1000;

  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "socket-watch");
            thread.setDaemon(true);
            return thread;
          });
  private final SocketCounters first;
  // Both are guarded by this.
  private SocketCounters highest;
  private Optional<IOException> failure = Optional.empty();

  private SocketWatch(SocketCounters first) {
    this.first = first;
    this.highest = first;
  }

  /**
   * Starts to read the counters. Blocks for the first reading.
   *
   * @throws IOException if the system does not report them
   */
  public static SocketWatch start() throws IOException, InterruptedException {
    SocketWatch watch = new SocketWatch(SocketCounters.now());
    watch.timer.scheduleWithFixedDelay(
        watch::read, INTERVAL_MILLIS, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    return watch;
  }

  private synchronized void read() {
    try {
      highest = highest.highest(SocketCounters.now());
    } catch (IOException e) {
      failure = Optional.of(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** The counters at the start. */
  public SocketCounters first() {
    return first;
  }

  /**
   * Reads the counters once more, and returns the highest readings of all connections since the
   * start. Blocks.
   *
   * @throws IOException if a reading has failed
   */
  public synchronized SocketCounters highest() throws IOException {
    read();
    if (failure.isPresent()) {
      throw failure.get();
    }
    return highest;
  }

  @Override
  public void close() {
    timer.shutdown();
  }
}
