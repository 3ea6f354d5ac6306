package io.quorate.storage.garbage;

import io.quorate.common.Threads;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.context.BackgroundShare;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes the garbage bodies of all regions periodically, on a thread of its own. Regions in which
 * nothing was applied and no body was added are skipped; the others are read in full, so after a
 * long round the thread pauses longer. Ends when the store of bodies has failed.
 */
public final class BodySweeper {
  private static final Logger LOG = LoggerFactory.getLogger(BodySweeper.class);

  private final BodyStore bodies;
  private final Supplier<? extends Collection<RegionSweep>> regions;
  private final long intervalNanos;
  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(1, Threads.named("quorate-body-sweep"));
  private volatile boolean closing;

  /**
   * @param regions returns the regions with bodies, on the thread of the sweeper
   */
  public BodySweeper(
      BodyStore bodies, Supplier<? extends Collection<RegionSweep>> regions, Duration interval) {
    this.bodies = bodies;
    this.regions = regions;
    this.intervalNanos = interval.toNanos();
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Starts the periodic removal. Does not block. */
  public void start() {
    schedule(intervalNanos);
  }

  private void schedule(long delayNanos) {
    try {
      executor.schedule(this::round, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("No body is removed any more: the storage is closed");
    }
  }

  private void round() {
    if (bodies.hasFailed()) {
      // The rounds after the next start remove the garbage.
      return;
    }
    long started = System.nanoTime();
    for (RegionSweep region : regions.get()) {
      if (closing) {
        return;
      }
      sweep(region);
    }
    schedule(Math.max(intervalNanos, BackgroundShare.pauseAfter(started)));
  }

  private void sweep(RegionSweep region) {
    try {
      region.run(bodies, () -> closing);
    } catch (IOException | RuntimeException | Error e) {
      // Errors too: the executor would swallow them, and no garbage would be removed any more.
      LOG.warn("The garbage bodies of a region could not be removed; the next round retries", e);
    }
  }

  /** Ends the round in progress and waits for its end. Blocks. */
  public void close() {
    closing = true;
    executor.shutdown();
    Threads.awaitEnd(executor);
  }
}
