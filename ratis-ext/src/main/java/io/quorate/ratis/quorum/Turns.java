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
 * Runs one thing over and over, on threads that it shares with others, never twice at a time: when
 * it is woken, and when it said that it is due. Thread-safe.
 */
final class Turns implements Executor {
  /** What is due in this long or later need not be looked at again. */
  static final long IDLE_NANOS = TimeUnit.HOURS.toNanos(1);

  private static final Logger LOG = LoggerFactory.getLogger(Turns.class);

  /**
   * What turns run on.
   *
   * @param timer wakes; runs nothing itself
   */
  record Threads(Executor workers, ScheduledExecutorService timer) {}

  private final Threads threads;
  private final LongSupplier turn;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();

  /** How often it was woken since the last turn began; whoever makes it 1 begins one. */
  private final AtomicInteger wakes = new AtomicInteger();

  // In turns alone.
  private boolean ended;
  private boolean timed;

  /** The earliest of the wakings that were asked for, once one was. */
  private long wakingNanos;

  /**
   * @param turn what to run; says at which {@link System#nanoTime} it is due again
   */
  Turns(Threads threads, LongSupplier turn) {
    this.threads = threads;
    this.turn = turn;
  }

  /** Runs a turn soon. */
  void wake() {
    if (wakes.getAndIncrement() == 0) {
      begin();
    }
  }

  private void begin() {
    try {
      threads.workers().execute(this::run);
    } catch (RejectedExecutionException e) {
      LOG.debug("No turn is run: this node is closing", e);
    }
  }

  /**
   * Runs a task in the next turn, before anything else. As many as whoever hands them in bounds.
   */
  @Override
  public void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  /** Runs the last task, here and now; there is no turn after it. Blocks until a turn has ended. */
  void end(Runnable last) {
    synchronized (turn) {
      if (!ended) {
        ended = true;
        last.run();
      }
    }
  }

  private void run() {
    int served = wakes.get();
    try {
      synchronized (turn) {
        if (!ended) {
          for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
          }
          sleepUntil(turn.getAsLong());
        }
      }
    } finally {
      if (wakes.addAndGet(-served) != 0) {
        begin();
      }
    }
  }

  private void sleepUntil(long dueNanos) {
    long now = System.nanoTime();
    boolean isAskedFor = timed && wakingNanos - now > 0 && wakingNanos - dueNanos <= 0;
    if (dueNanos - now >= IDLE_NANOS / 2 || isAskedFor) {
      return;
    }
    timed = true;
    wakingNanos = dueNanos;
    try {
      threads.timer().schedule(this::wake, Math.max(dueNanos - now, 0), TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("No turn is timed: this node is closing", e);
    }
  }
}
