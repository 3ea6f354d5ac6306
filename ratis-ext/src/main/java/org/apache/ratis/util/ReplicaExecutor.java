package org.apache.ratis.util;

import io.quorate.replication.threads.SharedLoops;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * What Ratis takes for the thread pool of a replica: threads that all replicas of a node share.
 * What follows from an entry that has become durable is run by the thread that completes it. What
 * was submitted runs also after the end. Part of {@link ConcurrentUtils}.
 */
public final class ReplicaExecutor extends AbstractExecutorService {
  /** A call of Ratis. */
  public interface Call<T> {
    T run() throws IOException;
  }

  /** Not null on a thread in {@link #completingHere}. */
  private static final ThreadLocal<Boolean> COMPLETING = new ThreadLocal<>();

  private volatile SharedLoops loops;
  private volatile Executor blocking;
  private volatile boolean isShutdown;

  ReplicaExecutor() {}

  /**
   * Appends to a log; what follows from entries that are durable by then, or from none, is run by
   * the calling thread at once.
   */
  public static <T> T completingHere(Call<T> append) throws IOException {
    COMPLETING.set(true);
    try {
      return append.run();
    } finally {
      COMPLETING.remove();
    }
  }

  /**
   * Called once, before the first task.
   *
   * @param blockingTasks runs what may wait for other nodes
   */
  public void begin(SharedLoops sharedLoops, Executor blockingTasks) {
    blocking = blockingTasks;
    loops = sharedLoops;
  }

  @Override
  public void execute(Runnable task) {
    if (COMPLETING.get() != null) {
      task.run();
    } else if (loops.isRunningSteps()) {
      loops.runSoon(task);
    } else {
      try {
        blocking.execute(task);
      } catch (RejectedExecutionException e) {
        // Ratis waits for what does not run, such as the end of an append.
        loops.runLater(task);
      }
    }
  }

  @Override
  public void shutdown() {
    isShutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    isShutdown = true;
    return List.of();
  }

  @Override
  public boolean isShutdown() {
    return isShutdown;
  }

  @Override
  public boolean isTerminated() {
    return isShutdown;
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isShutdown;
  }
}
