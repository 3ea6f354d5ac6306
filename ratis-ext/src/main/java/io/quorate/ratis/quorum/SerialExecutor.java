package io.quorate.ratis.quorum;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs one task repeatedly, on threads that it shares with others, and never concurrently with
 * itself: after a wake-up, and at the time at which the task reported that it is due. Thread-safe.
 */
final class SerialExecutor implements Executor {
  /** A task that is due in this time or later needs no timer. */
  static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

  /**
   * The threads of the iterations.
   *
   * @param workers executes the iterations
   * @param timer schedules wake-ups; executes nothing else
   */
  record Threads(Executor workers, ScheduledExecutorService timer) {}

  private final Threads threads;
  private final LongSupplier iteration;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /**
   * The number of wake-ups since the last iteration began; the thread that raises it to 1 begins an
   * iteration.
   */
  private final AtomicInteger wakes = new AtomicInteger();

  // Accessed only in iterations.
  private boolean ended;
  private boolean hasSchedule;

  /** The time of the earliest scheduled wake-up; valid once {@code hasSchedule} is set. */
  private long scheduledNanos;

  /**
   * @param iteration the task; returns the {@link System#nanoTime} at which it is due again
   */
  SerialExecutor(Threads threads, LongSupplier iteration) {
    this.threads = threads;
    this.iteration = iteration;
  }

  /** Runs an iteration soon. */
  void wake() {
    if (wakes.getAndIncrement() == 0) {
      submit();
    }
  }

  private void submit() {
    try {
      threads.workers().execute(this::run);
    } catch (RejectedExecutionException e) {
      LOG.debug("No iteration is run: this node is closing", e);
    }
  }

  /**
   * Runs a task in the next iteration, before anything else. The number of waiting tasks is bounded
   * only by the callers.
   */
  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  /**
   * Runs the last task on the calling thread; no iteration runs after it. Blocks until an iteration
   * in progress has ended.
   */
  void end(Runnable last) {
    synchronized (iteration) {
      if (!ended) {
        ended = true;
        last.run();
      }
    }
  }

  private void run() {
    int handled = wakes.get();
    try {
      synchronized (iteration) {
        if (!ended) {
          for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
          }
          schedule(iteration.getAsLong());
        }
      }
    } finally {
      if (wakes.addAndGet(-handled) != 0) {
        submit();
      }
    }
  }

  private void schedule(long dueNanos) {
    long now = System.nanoTime();
    boolean isScheduled = hasSchedule && scheduledNanos - now > 0 && scheduledNanos - dueNanos <= 0;
    if (dueNanos - now >= IDLE_NANOS / 2 || isScheduled) {
      return;
    }
    hasSchedule = true;
    scheduledNanos = dueNanos;
    try {
      threads.timer().schedule(this::wake, Math.max(dueNanos - now, 0), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("No iteration is scheduled: this node is closing", e);
    }
  }
}
