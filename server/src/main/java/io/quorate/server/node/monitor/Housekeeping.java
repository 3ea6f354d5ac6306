package io.quorate.server.node.monitor;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs periodic tasks on one thread. Tasks that may wait for the disk have one of their own. */
public final class Housekeeping implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Housekeeping.class);
  private static final long STOP_SECONDS_MAX = 5;

  private final ScheduledExecutorService thread;

  public Housekeeping(String name) {
    thread = Executors.newSingleThreadScheduledExecutor(new DefaultThreadFactory(name, true));
  }

  public void every(Duration interval, Runnable task) {
    thread.scheduleWithFixedDelay(() -> run(task), 0, interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  public void everySecond(Runnable task) {
    every(Duration.ofSeconds(1), task);
  }

  public void everyMinute(Runnable task) {
    thread.scheduleWithFixedDelay(() -> run(task), 1, 1, TimeUnit.MINUTES);
  }

  /** A task that throws is run again at its next time. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      // An error too would end the task for good, and nobody would notice.
      LOG.atError().setCause(e).log("A housekeeping task failed unexpectedly");
    }
  }

  /** Waits a few seconds for the running task, if there is one. */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(STOP_SECONDS_MAX, TimeUnit.SECONDS)) {
        LOG.atWarn().log("A housekeeping task did not end in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
