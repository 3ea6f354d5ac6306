package io.quorate.ratis;

import io.quorate.common.Threads;
import io.quorate.replication.threads.LoopThreads;
import io.quorate.replication.threads.SharedLoops;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The threads that all groups of a node share. Ratis adds its own for each group. */
final class RatisThreads implements AutoCloseable {
  private static final int LOOP_THREADS_MIN = 2;
  private static final int LOOP_THREADS_MAX = 8;

  /** So many replicas share an fsync of their configurations when they get leaders together. */
  private static final int LOG_READ_THREADS = 32;

  /** More than the followers of all groups that a node leads. */
  private static final int LOG_READS_MAX = 16_384;

  private static final int FILE_THREADS = 4;
  private static final int FETCH_THREADS = 2;
  private static final int MESSAGE_THREADS_MAX = 1024;
  private static final int HOUSEKEEPING_THREADS = 2;
  private static final int TRANSFER_THREADS = 4;
  private static final int BODY_THREADS = 4;
  private static final int HIBERNATION_THREADS = 4;
  private static final int TASKS_MAX = 1024;

  /**
   * More than the transfers of several groups have at a time: a task that is rejected delays a
   * body.
   */
  private static final int BODY_TASKS_MAX = 16_384;

  /** More than the groups of a node. */
  private static final int HIBERNATION_TASKS_MAX = 16_384;

  /**
   * At most one for each election, snapshot and leadership transfer, and for each group that
   * receives entries of a leader which it does not follow yet.
   */
  private final ExecutorService messages =
      new ThreadPoolExecutor(
          0,
          MESSAGE_THREADS_MAX,
          10,
          TimeUnit.SECONDS,
          new SynchronousQueue<>(),
          Threads.named("raft-message"));

  private final ExecutorService logReads =
      poolWithIdleTimeout(LOG_READ_THREADS, LOG_READS_MAX, "raft-log-read");
  private final ExecutorService files = poolWithIdleTimeout(FILE_THREADS, "raft-files");
  private final ExecutorService fetches = poolWithIdleTimeout(FETCH_THREADS, "raft-fetch");
  private final ExecutorService housekeeping =
      poolWithIdleTimeout(HOUSEKEEPING_THREADS, "raft-housekeeping");
  private final ExecutorService transfers =
      poolWithIdleTimeout(TRANSFER_THREADS, "raft-leader-transfer");
  private final ExecutorService bodies =
      poolWithIdleTimeout(BODY_THREADS, BODY_TASKS_MAX, "raft-body");
  private final ExecutorService hibernation =
      poolWithIdleTimeout(HIBERNATION_THREADS, HIBERNATION_TASKS_MAX, "raft-hibernation");
  private final ScheduledExecutorService probes =
      Executors.newSingleThreadScheduledExecutor(Threads.named("raft-probe"));
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Threads.named("raft-timer"));
  private final LoopThreads loopThreads =
      new LoopThreads(
          "raft-loop",
          Math.min(
              LOOP_THREADS_MAX,
              Math.max(LOOP_THREADS_MIN, Runtime.getRuntime().availableProcessors())),
          timer);
  private final SharedLoops loops = new SharedLoops(loopThreads, logReads, timer);

  /** Processes Raft's messages except entries, which waits for the disk or for other nodes. */
  Executor messages() {
    return messages;
  }

  /**
   * From now on Raft's messages are rejected. Waits for those that are being processed, a second at
   * most: a message that meets a replica which is closing lets Ratis 3.3.0 start a thread that
   * nothing ends.
   */
  void endMessages() {
    messages.shutdown();
    try {
      messages.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Propose, append, commit, apply, and rounds of reads. */
  SharedLoops loops() {
    return loops;
  }

  /**
   * Executes what blocks on this node's files, such as sending snapshots; and leadership transfers.
   */
  Executor files() {
    return files;
  }

  /**
   * Fetches snapshots, which blocks on other nodes. If these threads also sent snapshots, two nodes
   * could wait for each other.
   */
  Executor fetches() {
    return fetches;
  }

  /**
   * Executes background tasks that may wait for Ratis' locks; one of each kind a group at a time.
   */
  Executor housekeeping() {
    return housekeeping;
  }

  /** Transfers leaderships from a node whose disk does not respond: waits for no disk. */
  Executor transfers() {
    return transfers;
  }

  /**
   * Encodes and decodes bodies, and reads them from the disk. Never interrupted, because that would
   * close the files of bodies.
   */
  Executor bodies() {
    return bodies;
  }

  /** Starts and ends replicas, which waits for the disk. */
  Executor hibernation() {
    return hibernation;
  }

  /** Detects nodes that cannot be reached, which waits for the network. */
  ScheduledExecutorService probes() {
    return probes;
  }

  /** Executes periodic and scheduled tasks, none of which may block. */
  ScheduledExecutorService timer() {
    return timer;
  }

  @Override
  public void close() {
    timer.shutdownNow();
    probes.shutdownNow();
    messages.shutdownNow();
    logReads.shutdownNow();
    housekeeping.shutdownNow();
    transfers.shutdownNow();
    bodies.shutdown();
    hibernation.shutdown();
    files.shutdownNow();
    fetches.shutdownNow();
    loopThreads.close();
    try {
      for (ExecutorService each :
          List.of(
              timer,
              probes,
              messages,
              logReads,
              housekeeping,
              transfers,
              bodies,
              hibernation,
              files,
              fetches)) {
        each.awaitTermination(5, TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static ExecutorService poolWithIdleTimeout(int threads, String name) {
    return poolWithIdleTimeout(threads, TASKS_MAX, name);
  }

  private static ExecutorService poolWithIdleTimeout(int threads, int tasksMax, String name) {
    ThreadPoolExecutor pool =
        new ThreadPoolExecutor(
            threads,
            threads,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(tasksMax),
            Threads.named(name));
    pool.allowCoreThreadTimeOut(true);
    return pool;
  }
}
