package io.quorate.replication.threads;

import io.quorate.common.Threads;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Few threads with one queue, so that what arrives together shares a wake-up. While tasks wait and
 * none ends, because those that run wait for a lock, there are more threads. The number of tasks
 * that wait is bounded by the callers. Thread-safe.
 */
public final class LoopThreads implements Executor, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LoopThreads.class);
  private static final int THREADS_MAX = 256;

  /** For how long no task ends before there is another thread. */
  private static final long STALL_MILLIS = 20;

  private final int threads;
  private final ScheduledExecutorService timer;
  private final ThreadPoolExecutor pool;
  private final AtomicBoolean isWatching = new AtomicBoolean();

  // Of the timer
  private long endedTasks;

  /**
   * @param threads their number as a rule
   * @param timer finds out whether they are held up
   */
  public LoopThreads(String name, int threads, ScheduledExecutorService timer) {
    this.threads = threads;
    this.timer = timer;
    pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            0,
            TimeUnit.MILLISECONDS,
            new LinkedBlockingQueue<>(),
            Threads.named(name));
  }

  @Override
  public void execute(Runnable task) {
    pool.execute(task);
    if (!isWatching.get() && !isWatching.getAndSet(true)) {
      watchLater();
    }
  }

  private void watchLater() {
    try {
      timer.schedule(this::watch, STALL_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("Threads are not watched any more: this node is closing", e);
    }
  }

  private void watch() {
    boolean goesOn = true;
    try {
      goesOn = watchOnce();
    } catch (RuntimeException | Error e) {
      LOG.error("No thread could be added", e);
    }
    if (goesOn) {
      watchLater();
    }
  }

  /**
   * @return whether to go on
   */
  private boolean watchOnce() {
    int present = pool.getCorePoolSize();
    if (pool.getQueue().isEmpty()) {
      // Those that are held up, and one for others.
      setThreads(Math.min(present, Math.max(threads, pool.getActiveCount() + 1)));
      if (pool.getCorePoolSize() == threads && hasStopped()) {
        return false;
      }
    } else if (pool.getCompletedTaskCount() == endedTasks) {
      setThreads(Math.min(THREADS_MAX, Math.max(present, pool.getActiveCount()) + 1));
    }
    endedTasks = pool.getCompletedTaskCount();
    return true;
  }

  /** Whether nothing is to be watched; otherwise a task has come since. */
  private boolean hasStopped() {
    isWatching.set(false);
    return pool.getQueue().isEmpty() || isWatching.getAndSet(true);
  }

  /** Those that are too many end after their task: the maximum counts, since no thread is idle. */
  private void setThreads(int number) {
    if (number > pool.getCorePoolSize()) {
      pool.setMaximumPoolSize(number);
      pool.setCorePoolSize(number);
    } else if (number < pool.getCorePoolSize()) {
      pool.setCorePoolSize(number);
      pool.setMaximumPoolSize(number);
    }
  }

  /** How many threads there are. */
  int size() {
    return pool.getPoolSize();
  }

  /** Runs what is waiting, and takes no more. Blocks until it has run, 5 seconds at most. */
  @Override
  public void close() {
    pool.shutdown();
    try {
      pool.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
