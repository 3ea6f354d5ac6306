package io.quorate.storage.context;

import io.quorate.common.Threads;
import io.quorate.consensus.MetricsSink;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseException;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Flushes the whole database atomically: on request, and periodically if commands were applied
 * since the last flush. With the same period, it lets the database collect garbage. Requests that
 * arrive during a flush share the next one, so at most one flush is pending.
 */
public final class Flusher {
  private static final Logger LOG = LoggerFactory.getLogger(Flusher.class);

  private static final Duration FLUSH_TIME_MAX = Duration.ofMinutes(1);
  private static final String ALL_REGIONS = "all regions";

  /** A state that a flush makes durable. */
  public interface Flushable {
    /** Whether the state is ahead of its durable position. */
    boolean hasUnflushed();

    /**
     * Captures the applied position.
     *
     * @return publishes that position as durable; to be run after a flush that began later has
     *     succeeded
     */
    Runnable captureApplied();
  }

  private final Database database;
  private final Supplier<? extends Collection<? extends Flushable>> flushables;
  private final FailureReport failures;
  private final MetricsSink.Counter flushes;
  private final MetricsSink.Timer time;
  private final ScheduledThreadPoolExecutor executor;
  private Optional<CompletableFuture<Void>> next = Optional.empty();

  public Flusher(
      Database database,
      Supplier<? extends Collection<? extends Flushable>> flushables,
      FailureReport failures,
      MetricsSink telemetry) {
    this.database = database;
    this.flushables = flushables;
    this.failures = failures;
    this.flushes = telemetry.counter("storage.flushes", "Flushes of RocksDB", Map.of());
    this.time =
        telemetry.timer("storage.flush", "Time of a flush of RocksDB", Map.of(), FLUSH_TIME_MAX);
    this.executor = new ScheduledThreadPoolExecutor(1, Threads.named("quorate-flush"));
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(true);
  }

  /** Starts periodic flushes and collections of garbage. */
  public void start(Duration interval) {
    executor.scheduleWithFixedDelay(
        this::runPeriodically, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Flushes everything applied before this call. Does not block.
   *
   * @return completes on the flusher's thread, which must not be blocked; fails with an {@link
   *     IOException} if the flush fails
   */
  public synchronized CompletionStage<Void> flush() {
    if (executor.isShutdown()) {
      return CompletableFuture.failedFuture(CloseGuard.closedFailure());
    }
    if (next.isEmpty()) {
      next = Optional.of(new CompletableFuture<>());
      executor.execute(this::flushNow);
    }
    return next.get();
  }

  /**
   * Flushes everything applied before this call. Blocks.
   *
   * @throws IOException if the flush fails
   */
  public void flushAndAwait() throws IOException {
    try {
      flush().toCompletableFuture().join();
    } catch (CompletionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    }
  }

  private void runPeriodically() {
    flushIfAhead();
    database.adjustBlobCollection();
  }

  private void flushIfAhead() {
    if (flushables.get().stream().anyMatch(Flushable::hasUnflushed)) {
      flush();
    }
  }

  private synchronized CompletableFuture<Void> begin() {
    CompletableFuture<Void> requested = next.orElseThrow();
    next = Optional.empty();
    return requested;
  }

  private void flushNow() {
    CompletableFuture<Void> requested = begin();
    try {
      List<Runnable> captured = flushables.get().stream().map(Flushable::captureApplied).toList();
      long start = System.nanoTime();
      StoragePoints.BEFORE_FLUSH.passed(ALL_REGIONS);
      database.flush();
      StoragePoints.AFTER_FLUSH.passed(ALL_REGIONS);
      time.record(System.nanoTime() - start);
      flushes.add(1);
      captured.forEach(Runnable::run);
      StoragePoints.FLUSH_PUBLISHED.passed(ALL_REGIONS);
      failures.succeeded(Optional.empty());
      requested.complete(null);
    } catch (DatabaseException | RuntimeException | Error e) {
      // Errors too: the executor would swallow them, and the caller's future would never complete.
      failures.failed(Optional.empty(), e);
      requested.completeExceptionally(e);
    }
  }

  /** Flushes once more, and stops. Blocks. */
  public void close() {
    flush().whenComplete(Flusher::warnOfFailure);
    synchronized (this) {
      executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
      executor.shutdown();
    }
    Threads.awaitEnd(executor);
  }

  private static void warnOfFailure(Void done, Throwable failure) {
    if (failure != null) {
      LOG.warn("The last flush failed; the next start replays from the durable positions", failure);
    }
  }
}
