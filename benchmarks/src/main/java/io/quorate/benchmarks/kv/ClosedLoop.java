package io.quorate.benchmarks.kv;

import io.quorate.common.Failures;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

/**
 * A closed loop of clients: each sends a call, waits for its result, and sends the next one. The
 * clients have no threads of their own: the thread that completes a call sends the next one.
 */
final class ClosedLoop {
  /**
   * Delays the next call after a failed one, so that calls that fail immediately do not form a busy
   * loop.
   */
  private static final Executor AFTER_FAILURE =
      CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

  /** A slice is extended to at most this many times its duration. */
  private static final int EXTENSION_MAX = 20;

  private final List<KeyValueCalls> connections;
  private final Population keys;
  private final LongSupplier nanoClock;
  private final long seed;

  /**
   * @param connections shared evenly by the clients
   * @param nanoClock like {@link System#nanoTime}
   * @param seed for the random choice of keys and values
   */
  ClosedLoop(List<KeyValueCalls> connections, Population keys, LongSupplier nanoClock, long seed) {
    this.connections = List.copyOf(connections);
    this.keys = keys;
    this.nanoClock = nanoClock;
    this.seed = seed;
  }

  /**
   * Runs the workload and counts the calls that complete after the ramp-up. While no call of some
   * kind has completed, there is no figure for it: the measurement continues until one has, for at
   * most 20 times the duration.
   *
   * @param rampNanos duration of the ramp-up, in which calls are not counted
   * @param nanos duration after the ramp-up in which calls are sent
   * @return completes with the last call of the last client
   */
  CompletableFuture<Void> run(
      KvWorkload workload, long rampNanos, long nanos, WorkloadStats stats) {
    Slice slice =
        new Slice(
            workload,
            nanoClock.getAsLong() + rampNanos,
            nanos,
            elapsed -> stats,
            () -> stats.hasAllOf(workload.mix()));
    return run(slice).thenRun(() -> stats.measured(slice.measuredNanos.get()));
  }

  /**
   * Like {@link #run(KvWorkload, long, long, WorkloadStats)}, but never extended: the throughput is
   * 0 if no call completes in the duration.
   */
  CompletableFuture<Void> runExactly(
      KvWorkload workload, long rampNanos, long nanos, WorkloadStats stats) {
    return run(workload, rampNanos, nanos, elapsed -> stats).thenRun(() -> stats.measured(nanos));
  }

  /**
   * Runs the workload and counts the calls that complete after the ramp-up, by their time.
   *
   * @param statsAt the statistics for a time in nanoseconds since the ramp-up; called by many
   *     threads
   */
  CompletableFuture<Void> run(
      KvWorkload workload, long rampNanos, long nanos, LongFunction<WorkloadStats> statsAt) {
    return run(new Slice(workload, nanoClock.getAsLong() + rampNanos, nanos, statsAt, () -> true));
  }

  private CompletableFuture<Void> run(Slice slice) {
    CompletableFuture<?>[] clients = new CompletableFuture<?>[slice.workload.clients()];
    RandomValues values = new RandomValues(slice.workload.valueBytes());
    SplittableRandom seeds = new SplittableRandom(seed);
    for (int i = 0; i < clients.length; i++) {
      RandomCalls calls =
          new RandomCalls(
              slice.workload,
              values,
              connections.get(i % connections.size()),
              keys,
              seeds.split(),
              nanoClock);
      Client client = new Client(slice, calls);
      clients[i] = client.done;
      client.run();
    }
    return CompletableFuture.allOf(clients);
  }

  private static final class Slice {
    private final KvWorkload workload;
    private final long countFrom;
    private final long nanos;
    private final LongFunction<WorkloadStats> statsAt;
    private final BooleanSupplier isComplete;

    /** The time from the ramp-up to the last counted call, at least the duration. */
    private final AtomicLong measuredNanos;

    /**
     * @param isComplete whether the slice may end after its duration
     */
    Slice(
        KvWorkload workload,
        long countFrom,
        long nanos,
        LongFunction<WorkloadStats> statsAt,
        BooleanSupplier isComplete) {
      this.workload = workload;
      this.countFrom = countFrom;
      this.nanos = nanos;
      this.statsAt = statsAt;
      this.isComplete = isComplete;
      this.measuredNanos = new AtomicLong(nanos);
    }

    WorkloadStats stats(long now) {
      return statsAt.apply(now - countFrom);
    }

    boolean isOver(long now) {
      long elapsed = now - countFrom;
      return elapsed >= nanos && (elapsed >= EXTENSION_MAX * nanos || isComplete.getAsBoolean());
    }

    boolean counts(long now) {
      return now - countFrom >= 0 && !isOver(now);
    }

    void counted(long now) {
      if (now - countFrom > nanos) {
        measuredNanos.accumulateAndGet(now - countFrom, Math::max);
      }
    }
  }

  private final class Client implements Runnable {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Slice slice;
    private final RandomCalls calls;

    Client(Slice slice, RandomCalls calls) {
      this.slice = slice;
      this.calls = calls;
    }

    /** Sends calls until one does not complete immediately; its completion continues here. */
    @Override
    public void run() {
      while (true) {
        long sent = nanoClock.getAsLong();
        if (slice.isOver(sent)) {
          done.complete(null);
          return;
        }
        SentCall call = calls.send();
        CompletableFuture<?> result = call.result();
        if (!result.isDone() || result.isCompletedExceptionally()) {
          result.whenComplete((value, failure) -> resume(call, sent, failure));
          return;
        }
        count(call, sent);
      }
    }

    private void resume(SentCall call, long sent, Throwable failure) {
      if (failure == null) {
        count(call, sent);
        run();
      } else {
        slice.stats(nanoClock.getAsLong()).failed(Failures.unwrap(failure));
        AFTER_FAILURE.execute(this);
      }
    }

    private void count(SentCall call, long sent) {
      long now = nanoClock.getAsLong();
      if (slice.counts(now)) {
        slice.counted(now);
        call.record(slice.stats(now), sent, now);
      }
    }
  }
}
