package io.quorate.ratis;

import io.quorate.common.LogLimit;
import io.quorate.model.GroupId;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A periodic task of one group that may wait for Ratis' locks: it runs on another thread than that
 * of the timer, and one run at a time. Thread-safe.
 */
final class BackgroundTask {
  private static final Logger LOG = LoggerFactory.getLogger(BackgroundTask.class);
  private static final LogLimit FAILING = new LogLimit();

  private final Executor executor;
  private final GroupId region;
  private final Runnable task;
  private final AtomicBoolean inProgress = new AtomicBoolean();

  BackgroundTask(Executor executor, GroupId region, Runnable task) {
    this.executor = executor;
    this.region = region;
    this.task = task;
  }

  /** Runs the task in the background, unless a previous run is in progress. Does not block. */
  void start() {
    if (!inProgress.compareAndSet(false, true)) {
      return;
    }
    try {
      executor.execute(this::run);
    } catch (RejectedExecutionException e) {
      inProgress.set(false);
    }
  }

  private void run() {
    try {
      task.run();
    } catch (RuntimeException e) {
      FAILING.log(
          leftOut ->
              LOG.warn(
                  "A periodic task of a group failed region={}{}",
                  region,
                  LogLimit.text(leftOut),
                  e));
    } finally {
      inProgress.set(false);
    }
  }
}
