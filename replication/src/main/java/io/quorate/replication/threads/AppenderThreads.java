package io.quorate.replication.threads;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * The threads of all log appenders of a node: loops, on which nothing may block, readers, and a
 * timer. A thread that adds entries to a log runs the steps that follow from them itself, see
 * {@link #runningSteps}: waking a loop for each entry would cost more than most steps. Thread-safe.
 */
public final class AppenderThreads {
  private final Executor loops;
  private final Executor readers;
  private final ScheduledExecutorService timer;

  /** The steps that became due in {@link #runningSteps} on this thread. */
  private final ThreadLocal<Queue<Runnable>> deferred = new ThreadLocal<>();

  /**
   * @param loops runs steps, which do not block
   * @param readers runs steps that may wait for the disk or for locks; may reject them, and they
   *     are then tried again later
   * @param timer wakes appenders; executes nothing else for them
   */
  public AppenderThreads(Executor loops, Executor readers, ScheduledExecutorService timer) {
    this.loops = loops;
    this.readers = readers;
    this.timer = timer;
  }

  /**
   * Does something, and then runs the steps on the calling thread that became due by it on this
   * thread, each once. To be called without locks.
   */
  public <T> T runningSteps(Supplier<T> work) {
    Queue<Runnable> steps = new ArrayDeque<>();
    deferred.set(steps);
    try {
      return work.get();
    } finally {
      deferred.remove();
      steps.forEach(Runnable::run);
    }
  }

  /**
   * Runs a step soon: on a loop, or on this thread at the end of {@link #runningSteps}.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the loops have ended
   */
  public void runSoon(Runnable step) {
    Queue<Runnable> steps = deferred.get();
    if (steps == null) {
      loops.execute(step);
    } else {
      steps.add(step);
    }
  }

  /** Run steps that may wait; may reject them. */
  public Executor readers() {
    return readers;
  }

  /** Wakes appenders. */
  public ScheduledExecutorService timer() {
    return timer;
  }
}
