package io.quorate.replication.threads;

import io.quorate.common.LogLimit;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is done in steps on {@link SharedLoops}: one at a time, each after at least one {@link
 * #wake}, and each sees what earlier ones wrote. Wake-ups before a step share it; one during a step
 * leads to another one. Thread-safe.
 */
public final class LoopTask {
  private static final Logger LOG = LoggerFactory.getLogger(LoopTask.class);
  private static final LogLimit FAILING = new LogLimit();

  /** When a step is tried again for which there was no reader. */
  private static final long RETRY_MILLIS = 20;

  /** What follows a step. */
  public enum Next {
    /** A step after the next wake-up. */
    WAIT,
    /** Another step, behind what the loops have to do. */
    AGAIN,
    /** The same step where it may wait for the disk or for locks. */
    BLOCKS,
    /** No further step. */
    END
  }

  /** A step. */
  public interface Step {
    /**
     * What it throws is logged, and as {@link Next#WAIT}.
     *
     * @param mayBlock whether it may wait; otherwise it may also do nothing and return {@link
     *     Next#BLOCKS}
     */
    Next run(boolean mayBlock);

    /** Called instead of a step when the loops have ended, by whoever wakes the task. */
    default void rejected() {}
  }

  private final SharedLoops loops;
  private final Step step;
  private final boolean isLong;

  /**
   * The wake-ups since the last step began; who raises it to 1 runs a step. Not 0 again after the
   * end.
   */
  private final AtomicInteger wakes = new AtomicInteger();

  /** When {@link #wakeAt} wakes it; past if it does not. Accessed only in steps. */
  private long wakesAtNanos = System.nanoTime();

  public LoopTask(SharedLoops loops, Step step) {
    this(loops, step, false);
  }

  private LoopTask(SharedLoops loops, Step step, boolean isLong) {
    this.loops = loops;
    this.step = step;
    this.isLong = isLong;
  }

  /** One whose steps may take long: no other step on the same thread waits for them. */
  public static LoopTask ofLongSteps(SharedLoops loops, Step step) {
    return new LoopTask(loops, step, true);
  }

  /** Runs a step soon, after the one that is running if there is one. */
  public void wake() {
    if (wakes.getAndIncrement() == 0) {
      start(false);
    }
  }

  /** Wakes it after a time, unless this node is closing by then. */
  public void wakeAfter(long millis) {
    wakeAfter(millis, TimeUnit.MILLISECONDS);
  }

  /**
   * Wakes it at a {@link System#nanoTime}, unless it will be woken between now and then. To be
   * called in its steps.
   */
  public void wakeAt(long nanos) {
    long now = System.nanoTime();
    if (wakesAtNanos - now <= 0 || wakesAtNanos - nanos > 0) {
      wakesAtNanos = nanos;
      wakeAfter(nanos - now, TimeUnit.NANOSECONDS);
    }
  }

  private void wakeAfter(long time, TimeUnit unit) {
    try {
      loops.timer().schedule(this::wake, time, unit);
    } catch (RejectedExecutionException e) {
      LOG.debug("No step is scheduled: this node is closing", e);
    }
  }

  private void start(boolean isLater) {
    Runnable run = () -> run(false);
    try {
      if (isLater) {
        loops.runLater(run);
      } else if (isLong) {
        loops.runLongSoon(run);
      } else {
        loops.runSoon(run);
      }
    } catch (RejectedExecutionException e) {
      LOG.debug("No step is run: this node is closing", e);
      wakes.set(0);
      step.rejected();
    }
  }

  private void run(boolean mayBlock) {
    if (mayBlock || isLong) {
      runStep(mayBlock);
    } else {
      // Those that follow run when this one has ended, so that it can be woken again.
      loops.runningSteps(() -> runStep(false));
    }
  }

  private void runStep(boolean mayBlock) {
    int handled = wakes.get();
    Next next = next(mayBlock);
    if (next == Next.END || next == Next.BLOCKS && handOver()) {
      return;
    }
    if (next == Next.BLOCKS) {
      wakeAfter(RETRY_MILLIS);
    }
    if (next == Next.AGAIN) {
      wakes.getAndIncrement();
    }
    if (wakes.addAndGet(-handled) != 0) {
      start(true);
    }
  }

  private Next next(boolean mayBlock) {
    try {
      return step.run(mayBlock);
    } catch (RuntimeException | Error e) {
      // Thrown on, no step would follow.
      FAILING.log(leftOut -> LOG.error("A step has failed{}", LogLimit.text(leftOut), e));
      return Next.WAIT;
    }
  }

  private boolean handOver() {
    try {
      loops.readers().execute(() -> run(true));
      return true;
    } catch (RejectedExecutionException e) {
      LOG.debug("There is no reader for a step now", e);
      return false;
    }
  }
}
