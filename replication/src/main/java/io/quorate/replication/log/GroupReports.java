package io.quorate.replication.log;

import java.io.IOException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Hands the reports of the log over to the executor of a group: one task for all that has become
 * durable until it runs. Thread-safe; never runs the group's code on the caller's thread.
 */
final class GroupReports {
  /** Null while nobody uses the group. */
  private volatile Subscription subscription;

  private volatile long durable;
  private volatile boolean wasRefused;

  /** Whether the log's thread has it in the list of groups to report to. Of that thread. */
  private boolean isTouched;

  /** One user of the group. */
  private final class Subscription implements Runnable {
    private final Executor executor;
    private final GroupLogEvents events;
    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private long reported;
    private boolean hasRoom;

    private Subscription(Executor executor, GroupLogEvents events) {
      this.executor = executor;
      this.events = events;
      this.reported = durable;
    }

    private void schedule() {
      if (!isScheduled.getAndSet(true)) {
        execute(this);
      }
    }

    private void execute(Runnable task) {
      try {
        executor.execute(task);
      } catch (RejectedExecutionException e) {
        // The group is being closed.
        isScheduled.set(false);
      }
    }

    @Override
    public void run() {
      isScheduled.set(false);
      long through = durable;
      boolean room = takeRoom();
      if (subscription != this) {
        return;
      }
      if (through > reported) {
        reported = through;
        events.durable(through);
      }
      if (room) {
        events.room();
      }
    }

    private synchronized void setRoom() {
      hasRoom = true;
    }

    private synchronized boolean takeRoom() {
      boolean had = hasRoom;
      hasRoom = false;
      return had;
    }
  }

  void begin(Executor executor, GroupLogEvents events) {
    subscription = new Subscription(executor, events);
  }

  void end() {
    subscription = null;
  }

  void durable(long through) {
    durable = through;
  }

  long durable() {
    return durable;
  }

  /** Whether this is the first call since the last {@link #report}. */
  boolean touch() {
    boolean isFirst = !isTouched;
    isTouched = true;
    return isFirst;
  }

  /** Reports what is durable. */
  void report() {
    isTouched = false;
    Subscription current = subscription;
    if (current != null) {
      current.schedule();
    }
  }

  /** Whether this is the first refusal since the last {@link #room}. */
  synchronized boolean refused() {
    boolean isFirst = !wasRefused;
    wasRefused = true;
    return isFirst;
  }

  /** Reports that there is room. */
  void room() {
    synchronized (this) {
      wasRefused = false;
    }
    Subscription current = subscription;
    if (current != null) {
      current.setRoom();
      current.schedule();
    }
  }

  void failed(IOException cause) {
    Subscription current = subscription;
    if (current != null) {
      current.execute(() -> current.events.failed(cause));
    }
  }
}
