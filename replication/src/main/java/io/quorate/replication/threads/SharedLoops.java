package io.quorate.replication.threads;

import io.quorate.common.LogLimit;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The threads that do the work of all groups of a node in steps: loops, readers, and a timer. A
 * step that follows from another one may run on the same thread, see {@link #runningSteps}: waking
 * a loop would cost more than most steps. Thread-safe.
 */
public final class SharedLoops {
  private static final Logger LOG = LoggerFactory.getLogger(SharedLoops.class);
  private static final LogLimit FAILING = new LogLimit();

  private final Executor loops;
  private final Executor readers;
  private final ScheduledExecutorService timer;

  /** What became due in {@link #runningSteps} on this thread. */
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
   * The steps that became due on a thread, and one that may take long: it is run after the others,
   * and nothing waits behind it.
   */
  private final class Deferred {
    private final Queue<Runnable> steps = new ArrayDeque<>();
    private Runnable longStep;

    private void add(Runnable step) {
      if (longStep != null) {
        loops.execute(longStep);
        longStep = null;
      }
      steps.add(step);
    }

    private void addLong(Runnable step) {
      if (longStep == null && steps.isEmpty()) {
        longStep = step;
      } else {
        loops.execute(step);
      }
    }

    private void run() {
      for (Runnable step = steps.poll(); step != null; step = steps.poll()) {
        SharedLoops.run(step);
      }
    }
  }

  /**
   * Does something, and then runs the steps on the calling thread that became due by it or by one
   * of them on this thread. To be called without locks. Nothing in it may wait for such a step.
   */
  public <T> T runningSteps(Supplier<T> work) {
    Deferred outer = deferred.get();
    Deferred inner = new Deferred();
    deferred.set(inner);
    try {
      return work.get();
    } finally {
      inner.run();
      deferred.set(outer);
      if (inner.longStep != null) {
        runLong(inner.longStep, outer);
      }
    }
  }

  private void runLong(Runnable step, Deferred outer) {
    if (outer == null) {
      run(step);
    } else {
      outer.addLong(step);
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

  /** What a step throws must not keep others from running. */
  private static void run(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException | Error e) {
      FAILING.log(leftOut -> LOG.error("A step has failed{}", LogLimit.text(leftOut), e));
    }
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
    Deferred here = deferred.get();
    if (here == null) {
      loops.execute(step);
    } else {
      here.add(step);
    }
  }

  /** As {@link #runSoon}, for a step that may take long: no other one waits for it. */
  void runLongSoon(Runnable step) {
    Deferred here = deferred.get();
    if (here == null) {
      loops.execute(step);
    } else {
      here.addLong(step);
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
