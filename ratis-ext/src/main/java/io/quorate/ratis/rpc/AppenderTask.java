package io.quorate.ratis.rpc;

import io.quorate.common.LogLimit;
import io.quorate.replication.threads.LoopTask;
import io.quorate.replication.threads.SharedLoops;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.util.LifeCycle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of a log appender that has no thread of its own: it is run in steps, one at a time, each
 * of which sees what earlier ones wrote. A step runs after {@link #wake}, and when the one before
 * said that it is due. The states are those of Ratis' own appenders. Thread-safe; nothing blocks.
 */
final class AppenderTask {
  private static final Logger LOG = LoggerFactory.getLogger(AppenderTask.class);
  private static final LogLimit FAILING = new LogLimit();

  /** The result of a step that has to be run again where it may block. */
  static final long BLOCKS = -1;

  /** What is run. No two of its methods are called at the same time. */
  interface Steps {
    /** Whether there is a reason to run further steps. */
    boolean isUseful();

    /**
     * Runs a step.
     *
     * @param mayBlock whether it may wait; otherwise it may also do nothing and return {@link
     *     #BLOCKS}
     * @return after how many milliseconds the next one is due if there is no wake-up; 0 for at once
     */
    long run(boolean mayBlock) throws Exception;

    /** Called once if a step has failed, after the last step. May block. */
    void failed();
  }

  private final LoopTask task;
  private final Steps steps;
  private final LifeCycle lifeCycle;
  private final CompletableFuture<LifeCycle.State> ended = new CompletableFuture<>();

  /** Guarded by this, as the next one. */
  private boolean isStepRunning;

  private boolean hasEnded;

  // Accessed only in steps.
  private boolean hasFailed;
  private boolean hasSchedule;

  /** The time of the earliest scheduled wake-up; valid if {@code hasSchedule} is set. */
  private long scheduledNanos;

  AppenderTask(String name, SharedLoops loops, Steps steps) {
    this.steps = steps;
    this.task = new LoopTask(loops, new Step());
    this.lifeCycle = new LifeCycle(name);
  }

  /** Runs the first step soon; no effect after another call or after the end. */
  void start() {
    if (lifeCycle.compareAndTransition(LifeCycle.State.NEW, LifeCycle.State.STARTING)) {
      wake();
    }
  }

  /** Whether it has neither ended nor been told to end. */
  boolean isWorking() {
    return !LifeCycle.States.CLOSING_OR_CLOSED_OR_EXCEPTION.contains(lifeCycle.getCurrentState());
  }

  /** Whether it was told to end, or has ended without a failure. */
  boolean isClosingOrClosed() {
    return lifeCycle.getCurrentState().isClosingOrClosed();
  }

  /**
   * Ends it: at once, or after the step that is running. Ratis waits for it, on threads that steps
   * may need.
   *
   * @return the final state, once no step runs any more
   */
  CompletableFuture<LifeCycle.State> stop() {
    lifeCycle.transitionAndGet(AppenderTask::closing);
    if (endBetweenSteps()) {
      end();
    }
    return ended;
  }

  private static LifeCycle.State closing(LifeCycle.State state) {
    if (state == LifeCycle.State.NEW) {
      return LifeCycle.State.CLOSED;
    }
    return state.isClosingOrClosed() ? state : LifeCycle.State.CLOSING;
  }

  /** Runs a step soon, after the one that is running if there is one. */
  void wake() {
    if (lifeCycle.getCurrentState() != LifeCycle.State.NEW) {
      task.wake();
    }
  }

  /** A step, and what follows it. */
  private final class Step implements LoopTask.Step {
    @Override
    public LoopTask.Next run(boolean mayBlock) {
      if (!begin()) {
        return LoopTask.Next.END;
      }
      long millis = step(mayBlock);
      if (!goesOn(millis)) {
        end();
        return LoopTask.Next.END;
      }
      if (millis == BLOCKS) {
        return LoopTask.Next.BLOCKS;
      }
      if (millis == 0) {
        return LoopTask.Next.AGAIN;
      }
      schedule(millis);
      return LoopTask.Next.WAIT;
    }

    @Override
    public void rejected() {
      stop();
    }
  }

  private synchronized boolean begin() {
    isStepRunning = !hasEnded;
    return isStepRunning;
  }

  private synchronized boolean goesOn(long millis) {
    isStepRunning = false;
    hasEnded = !isWorking() && (millis != BLOCKS || isClosingOrClosed());
    return !hasEnded;
  }

  private synchronized boolean endBetweenSteps() {
    hasEnded |= !isStepRunning;
    return hasEnded;
  }

  private long step(boolean mayBlock) {
    if (hasFailed) {
      return fail(mayBlock);
    }
    try {
      lifeCycle.compareAndTransition(LifeCycle.State.STARTING, LifeCycle.State.RUNNING);
      if (isWorking() && steps.isUseful()) {
        return steps.run(mayBlock);
      }
      lifeCycle.transitionAndGet(AppenderTask::closing);
      return 0;
    } catch (Exception | Error e) {
      FAILING.log(leftOut -> LOG.warn("{} failed{}", lifeCycle, LogLimit.text(leftOut), e));
      hasFailed = true;
      lifeCycle.transitionIfValid(LifeCycle.State.EXCEPTION);
      return fail(mayBlock);
    }
  }

  private long fail(boolean mayBlock) {
    if (!mayBlock && !isClosingOrClosed()) {
      return BLOCKS;
    }
    if (!isClosingOrClosed()) {
      try {
        steps.failed();
      } catch (RuntimeException e) {
        LOG.error("{} is not started again", lifeCycle, e);
      }
    }
    return 0;
  }

  private void end() {
    lifeCycle.compareAndTransition(LifeCycle.State.CLOSING, LifeCycle.State.CLOSED);
    ended.complete(lifeCycle.getCurrentState());
  }

  /** Schedules a wake-up unless there is one by then; the step after an earlier one asks again. */
  private void schedule(long millis) {
    long now = System.nanoTime();
    long dueNanos = now + TimeUnit.MILLISECONDS.toNanos(millis);
    if (hasSchedule && scheduledNanos - now > 0 && scheduledNanos - dueNanos <= 0) {
      return;
    }
    hasSchedule = true;
    scheduledNanos = dueNanos;
    task.wakeAfter(millis);
  }
}
