package io.quorate.replication.threads;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/**
 * The threads that do the work of all groups of a node in steps: loops, readers, and a timer. A
 * step that follows from another one may run on the same thread, see {@link #runningSteps}: waking
 * a loop would cost more than most steps. Thread-safe.
 */
public final class SharedLoops {
  private final Executor loops;
  private final Executor readers;
  private final ScheduledExecutorService timer;

  /** The steps that became due in {@link #runningSteps} on a thread. */
  private static final class Deferred {
    private final Queue<Runnable> first = new ArrayDeque<>();
    private final Queue<Runnable> last = new ArrayDeque<>();

    private void run() {
      for (Runnable step = next(); step != null; step = next()) {
        step.run();
      }
    }

    private Runnable next() {
      Runnable next = first.poll();
      return next == null ? last.poll() : next;
    }
  }

  /** Those of this thread. */
  private final ThreadLocal<Deferred> deferred = new ThreadLocal<>();

  /**
   * @param loops runs steps, which wait for no disk and no network
   * @param readers runs what may wait; may reject it, and it is then tried again later
   * @param timer wakes tasks; executes nothing else for them
   */
  public SharedLoops(Executor loops, Executor readers, ScheduledExecutorService timer) {
    this.loops = loops;
    this.readers = readers;
    this.timer = timer;
  }

  /**
   * Does something, and then runs the steps on the calling thread that became due by it or by one
   * of them on this thread. To be called without locks. Nothing in it may wait for such a step.
   */
  public <T> T runningSteps(Supplier<T> work) {
    Deferred outer = deferred.get();
    Deferred steps = new Deferred();
    deferred.set(steps);
    try {
      return work.get();
    } finally {
      steps.run();
      deferred.set(outer);
    }
  }

  /** As {@link #runningSteps(Supplier)}. */
  public void runningSteps(Runnable work) {
    runningSteps(
        () -> {
          work.run();
          return null;
        });
  }

  /** Whether the calling thread is in {@link #runningSteps}. */
  public boolean isRunningSteps() {
    return deferred.get() != null;
  }

  /**
   * Runs a step soon: on a loop, or on this thread at the end of {@link #runningSteps}.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the loops have ended
   */
  public void runSoon(Runnable step) {
    Deferred steps = deferred.get();
    if (steps == null) {
      loops.execute(step);
    } else {
      steps.first.add(step);
    }
  }

  /** As {@link #runSoon}, but after the others: for a step that may take long. */
  void runLast(Runnable step) {
    Deferred steps = deferred.get();
    if (steps == null) {
      loops.execute(step);
    } else {
      steps.last.add(step);
    }
  }

  /**
   * Runs a step on a loop, behind what is waiting there.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the loops have ended
   */
  public void runLater(Runnable step) {
    loops.execute(step);
  }

  /** Run what may wait; may reject it. */
  public Executor readers() {
    return readers;
  }

  /** Wakes tasks. */
  public ScheduledExecutorService timer() {
    return timer;
  }
}
