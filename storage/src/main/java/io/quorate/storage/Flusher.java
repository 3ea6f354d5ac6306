package io.quorate.storage;

import io.quorate.consensus.Telemetry;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Flushes the whole database in one cut: when asked, and every so often if anything was applied.
 * Requests that come while a flush runs share the next one, so that there is nothing to queue.
 */
final class Flusher {
  private static final Duration LONGEST_FLUSH_TOLD_APART = Duration.ofMinutes(1);
  private static final String ALL_REGIONS = "all regions";

  /** Something whose applied state a flush makes durable. */
  interface Flushable {
    /** Whether there is anything that is not durable. */
    boolean isAhead();

    /**
     * Notes up to where the state is applied.
     *
     * @return to be run when a flush that began later has ended
     */
    Runnable noteApplied();
  }

  private final Database database;
  private final Supplier<? extends Collection<? extends Flushable>> flushables;
  private final FailureReport failures;
  private final Telemetry.Counter flushes;
  private final Telemetry.Timer time;
  private final ScheduledThreadPoolExecutor executor;
  private Optional<CompletableFuture<Void>> next = Optional.empty();

  Flusher(
      Database database,
      Supplier<? extends Collection<? extends Flushable>> flushables,
      FailureReport failures,
      Telemetry telemetry) {
    this.database = database;
    this.flushables = flushables;
    this.failures = failures;
    this.flushes = telemetry.counter("storage.flushes", "Flushes of RocksDB", Map.of());
    this.time =
        telemetry.timer(
            "storage.flush", "Time of a flush of RocksDB", Map.of(), LONGEST_FLUSH_TOLD_APART);
    this.executor = new ScheduledThreadPoolExecutor(1, Threads.named("quorate-flush"));
    executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(true);
  }

  /** Begins to flush by itself. */
  void start(Duration interval) {
    executor.scheduleWithFixedDelay(
        this::flushIfAhead, interval.toNanos(), interval.toNanos(), TimeUnit.NANOSECONDS);
  }

  /**
   * Flushes what was applied before this call. Does not block.
   *
   * @return completes on the flusher's thread, which must not be blocked; fails with an {@link
   *     java.io.IOException} if it could not be flushed
   */
  synchronized CompletionStage<Void> flush() {
    if (executor.isShutdown()) {
      return CompletableFuture.failedFuture(ApplyQueue.closedFailure());
    }
    if (next.isEmpty()) {
      next = Optional.of(new CompletableFuture<>());
      executor.execute(this::flushNow);
    }
    return next.get();
  }

  private void flushIfAhead() {
    if (flushables.get().stream().anyMatch(Flushable::isAhead)) {
      flush();
    }
  }

  private synchronized CompletableFuture<Void> begin() {
    CompletableFuture<Void> asked = next.orElseThrow();
    next = Optional.empty();
    return asked;
  }

  private void flushNow() {
    CompletableFuture<Void> asked = begin();
    try {
      List<Runnable> noted = flushables.get().stream().map(Flushable::noteApplied).toList();
      long start = System.nanoTime();
      StoragePoints.BEFORE_FLUSH.passed(ALL_REGIONS);
      database.flush();
      StoragePoints.AFTER_FLUSH.passed(ALL_REGIONS);
      time.record(System.nanoTime() - start);
      flushes.add(1);
      noted.forEach(Runnable::run);
      StoragePoints.FLUSH_PUBLISHED.passed(ALL_REGIONS);
      failures.succeeded(Optional.empty());
      asked.complete(null);
    } catch (DatabaseException | RuntimeException | Error e) {
      // Errors too: the executor would keep them to itself, and whoever asked would wait for ever.
      failures.failed(Optional.empty(), e);
      asked.completeExceptionally(e);
    }
  }

  /** Ends after the flushes that were asked for. Blocks. */
  void close() {
    synchronized (this) {
      executor.setContinueExistingPeriodicTasksAfterShutdownPolicy(false);
      executor.shutdown();
    }
    Threads.awaitEnd(executor);
  }
}
