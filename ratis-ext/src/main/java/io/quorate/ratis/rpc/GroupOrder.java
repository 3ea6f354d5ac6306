package io.quorate.ratis.rpc;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * Runs tasks of groups on shared threads: those of one group in their order and one at a time,
 * those of different groups independently. The number of waiting tasks is bounded only by the
 * callers. Thread-safe.
 */
final class GroupOrder {

  /** A task with a result that may be complete later. */
  interface Task<T> {
    CompletableFuture<T> run() throws IOException;

    /** Whether it may wait for the disk or for other threads; asked right before it runs. */
    default boolean mayBlock() {
      return false;
    }
  }

  /** A submitted task. */
  private record Submitted<T>(Task<T> task, CompletableFuture<T> result) {
    void run() {
      try {
        task.run()
            .whenComplete(
                (value, failure) -> {
                  if (failure == null) {
                    result.complete(value);
                  } else {
                    result.completeExceptionally(failure);
                  }
                });
      } catch (IOException | RuntimeException | Error e) {
        // Thrown on, an error would leave the group without a thread.
        result.completeExceptionally(e);
      }
    }

    void reject(RejectedExecutionException reason) {
      result.completeExceptionally(tooMuchToDo(reason));
    }
  }

  private final Executor loops;
  private final Executor threads;

  /** The waiting tasks of the groups that have a task running. Guarded by this. */
  private final Map<RaftGroupId, Queue<Submitted<?>>> waiting = new HashMap<>();

  /** Guarded by this. */
  private boolean isClosed;

  /**
   * @param threads run the tasks that may block
   */
  GroupOrder(Executor loops, Executor threads) {
    this.loops = loops;
    this.threads = threads;
  }

  /**
   * Runs a task after the earlier ones of the group. Does not block.
   *
   * @return the result; fails with an {@link IOException} if there is no thread for the task, which
   *     then does not run
   */
  <T> CompletableFuture<T> submit(RaftGroupId group, Task<T> task) {
    Submitted<T> submitted = new Submitted<>(task, new CompletableFuture<>());
    try {
      if (!enqueue(group, submitted)) {
        start(group, submitted, false);
      }
    } catch (RejectedExecutionException e) {
      submitted.reject(e);
    }
    return submitted.result();
  }

  private void start(RaftGroupId group, Submitted<?> first, boolean mayBlock) {
    try {
      (mayBlock ? threads : loops).execute(() -> run(group, first, mayBlock));
    } catch (RejectedExecutionException e) {
      for (Submitted<?> each = first; each != null; each = next(group)) {
        each.reject(e);
      }
    }
  }

  /** Takes no more tasks, and waits until none is running or waiting, for a time at most. */
  synchronized void close(long millis) throws InterruptedException {
    isClosed = true;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    while (!waiting.isEmpty() && System.nanoTime() < end) {
      wait(Math.max(1, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime())));
    }
  }

  static IOException tooMuchToDo(RejectedExecutionException reason) {
    return new IOException("This node is closing or has too much to do.", reason);
  }

  /** Adds a task behind those of its group; false if the group has none, and is then reserved. */
  private synchronized boolean enqueue(RaftGroupId group, Submitted<?> task) {
    if (isClosed) {
      throw new RejectedExecutionException("This node is closing.");
    }
    Queue<Submitted<?>> others = waiting.get(group);
    if (others == null) {
      waiting.put(group, new ArrayDeque<>());
      return false;
    }
    return others.add(task);
  }

  /** Runs the tasks of a group until one may block and must not here. */
  private void run(RaftGroupId group, Submitted<?> first, boolean mayBlock) {
    for (Submitted<?> task = first; task != null; task = next(group)) {
      if (!mayBlock && task.task().mayBlock()) {
        start(group, task, true);
        return;
      }
      task.run();
    }
  }

  /** The next task; null if there is none, and then the group has no task running. */
  private synchronized Submitted<?> next(RaftGroupId group) {
    Submitted<?> next = waiting.get(group).poll();
    if (next == null) {
      waiting.remove(group);
      notifyAll();
    }
    return next;
  }
}
