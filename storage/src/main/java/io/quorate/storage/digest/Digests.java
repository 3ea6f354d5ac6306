package io.quorate.storage.digest;

import io.quorate.common.Threads;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.protocol.operation.RegionDigest;
import io.quorate.storage.context.BackgroundShare;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Computes the digests of all regions of a storage, one after the other, on a thread of its own
 * that pauses between pages, so that it takes about 5 % of a processor. Any thread; only {@link
 * #close} blocks.
 *
 * <p>A digest holds a snapshot of the database, which keeps overwritten rows on the disk, so few
 * may wait; further ones are left out, and the region has none at that position.
 */
public final class Digests implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Digests.class);

  private static final int WAITING_MAX = 8;

  private final ScheduledThreadPoolExecutor executor =
      new ScheduledThreadPoolExecutor(1, Threads.named("quorate-digest"));
  private final MetricsSink.Counter bytes;
  private final MetricsSink.Counter complete;
  private final MetricsSink.Counter leftOut;

  /** Those that wait, and first the one that is computed; guarded by this. */
  private final Queue<DigestRun> runs = new ArrayDeque<>();

  private final Map<GroupId, RegionDigest> newest = new ConcurrentHashMap<>();
  private volatile boolean closing;

  public Digests(MetricsSink telemetry) {
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    bytes = telemetry.counter("storage.digest.bytes", "Bytes of rows read for digests", Map.of());
    complete = telemetry.counter("storage.digests", "Digests of regions", Map.of());
    leftOut =
        telemetry.counter(
            "storage.digests.left.out",
            "Digests that were requested and are not computed: too many wait, rows were replaced,"
                + " or the disk is nearly full",
            Map.of());
  }

  /** The newest digest of a region since the start; empty if there is none. */
  public Optional<RegionDigest> newest(GroupId group) {
    return Optional.ofNullable(newest.get(group));
  }

  /** What part of the next digest of a region is computed, 0 to 1; empty if none is to be. */
  public synchronized OptionalDouble progress(GroupId group) {
    return runs.stream()
        .filter(run -> run.group().equals(group))
        .mapToDouble(DigestRun::progress)
        .findFirst();
  }

  /**
   * Ends the digests that are computed or wait, each before its next page, so that rows that were
   * overwritten since they began leave the disk.
   */
  public synchronized void abandon() {
    runs.forEach(DigestRun::abandon);
  }

  /** Forgets the digest of a region, the state of which is removed. */
  void forget(GroupId group) {
    newest.remove(group);
  }

  /** Computes a digest, and closes the run in any case. */
  void add(DigestRun run) {
    synchronized (this) {
      if (!closing && runs.size() < WAITING_MAX) {
        runs.add(run);
        if (runs.size() == 1) {
          schedule(0);
        }
        return;
      }
    }
    run.close();
    leftOut.add(1);
  }

  private void schedule(long delayNanos) {
    try {
      executor.schedule(this::step, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("No digest is computed any more: the storage is closed");
    }
  }

  private void step() {
    DigestRun run;
    synchronized (this) {
      run = runs.element();
    }
    long started = System.nanoTime();
    if (readPage(run)) {
      run.close();
      synchronized (this) {
        runs.remove();
        if (runs.isEmpty()) {
          return;
        }
      }
    }
    schedule(BackgroundShare.pauseAfter(started));
  }

  /** Returns whether it was the last one. */
  private boolean readPage(DigestRun run) {
    try {
      long before = run.bytes();
      Optional<RegionDigest> digest = run.readPage();
      bytes.add(run.bytes() - before);
      digest.ifPresent(
          value -> {
            newest.put(run.group(), value);
            complete.add(1);
          });
      return digest.isPresent();
    } catch (IOException | RuntimeException | Error e) {
      // Errors too: the executor would swallow them, and no digest would be computed any more.
      LOG.atInfo()
          .addKeyValue("region", run.group())
          .addKeyValue("reason", e.toString())
          .log("A digest could not be computed");
      leftOut.add(1);
      return true;
    }
  }

  /** Ends the page in progress and frees all snapshots; the database is still open. Blocks. */
  @Override
  public void close() {
    synchronized (this) {
      closing = true;
    }
    executor.shutdown();
    Threads.awaitEnd(executor);
    synchronized (this) {
      runs.forEach(DigestRun::close);
      runs.clear();
    }
  }
}
