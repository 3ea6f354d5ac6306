package io.quorate.ratis;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** The threads that all groups of a node share. Ratis adds its own for each group. */
final class RatisThreads implements AutoCloseable {
  private static final int PROPOSAL_THREADS = 2;
  private static final int FILE_THREADS = 4;

  private final ExecutorService proposals =
      Executors.newFixedThreadPool(PROPOSAL_THREADS, named("raft-propose"));
  private final ExecutorService files = fixedThatRest();
  private final ScheduledExecutorService housekeeping =
      Executors.newSingleThreadScheduledExecutor(named("raft-housekeeping"));

  /** For submitting entries; one task a group at a time. */
  Executor proposals() {
    return proposals;
  }

  /** For what blocks: snapshots and hand-overs. */
  Executor files() {
    return files;
  }

  ScheduledExecutorService housekeeping() {
    return housekeeping;
  }

  @Override
  public void close() {
    housekeeping.shutdownNow();
    proposals.shutdown();
    files.shutdownNow();
    try {
      housekeeping.awaitTermination(5, TimeUnit.SECONDS);
      proposals.awaitTermination(5, TimeUnit.SECONDS);
      files.awaitTermination(5, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ExecutorService fixedThatRest() {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            FILE_THREADS,
            FILE_THREADS,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(1024),
            named("raft-files"));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }

  private static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> {
      Thread thread = new Thread(task, name + "-" + count.incrementAndGet());
      thread.setDaemon(true);
      return thread;
    };
  }
}
