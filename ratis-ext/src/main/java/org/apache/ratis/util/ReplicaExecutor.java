package org.apache.ratis.util;

import io.quorate.replication.threads.SharedLoops;
import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * What Ratis takes for the thread pool of a replica: threads that all replicas of a node share.
 * What follows from an entry that has become durable is run by the thread that completes it. What
 * was submitted runs also after the end. Part of {@link ConcurrentUtils}.
 */
public final class ReplicaExecutor extends AbstractExecutorService {
  private volatile SharedLoops loops;
  private volatile Executor blocking;
  private volatile boolean isShutdown;

  ReplicaExecutor() {}

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
    if (loops.isRunningSteps()) {
      loops.runSoon(task);
    } else {
      blocking.execute(task);
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
