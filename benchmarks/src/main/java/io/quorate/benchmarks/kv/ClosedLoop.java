package io.quorate.benchmarks.kv;

import io.quorate.consensus.Failures;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * Clients that each send a call, wait for the answer, and send the next. They have no threads of
 * their own: an answer sends the next call on the thread that brought it.
 */
final class ClosedLoop {
  /** A call that failed at once is not followed by the next in the same moment. */
  private static final Executor AFTER_FAILURE =
      CompletableFuture.delayedExecutor(10, TimeUnit.MILLISECONDS);

  private final List<KeyValueCalls> connections;
  private final Population keys;
  private final LongSupplier nanoClock;
  private final long seed;

  /**
   * @param connections shared evenly by the clients
   * @param nanoClock as {@link System#nanoTime}
   * @param seed of the choice of keys and values
   */
  ClosedLoop(List<KeyValueCalls> connections, Population keys, LongSupplier nanoClock, long seed) {
    this.connections = List.copyOf(connections);
    this.keys = keys;
    this.nanoClock = nanoClock;
    this.seed = seed;
  }

  /**
   * Puts the workload on for a while and counts what is answered after the ramp.
   *
   * @param rampNanos at the start, when answers are not counted
   * @param nanos how long calls are sent after the ramp
   * @return completes when the last client has its last answer
   */
  CompletableFuture<Void> run(Workload workload, long rampNanos, long nanos, Tally tally) {
    return run(workload, rampNanos, nanos, elapsed -> tally).thenRun(() -> tally.measured(nanos));
  }

  /**
   * As {@link #run(Workload, long, long, Tally)}.
   *
   * @param tallies by the nanoseconds since the ramp; called by many threads
   */
  CompletableFuture<Void> run(
      Workload workload, long rampNanos, long nanos, LongFunction<Tally> tallies) {
    Values values = new Values(workload.valueBytes());
    long countFrom = nanoClock.getAsLong() + rampNanos;
    Slice slice = new Slice(workload, values, countFrom, nanos, tallies);
    CompletableFuture<?>[] clients = new CompletableFuture<?>[workload.clients()];
    SplittableRandom seeds = new SplittableRandom(seed);
    for (int i = 0; i < clients.length; i++) {
      Client client = new Client(slice, connections.get(i % connections.size()), seeds.split());
      clients[i] = client.done;
      client.run();
    }
    return CompletableFuture.allOf(clients);
  }

  private record Slice(
      Workload workload, Values values, long countFrom, long nanos, LongFunction<Tally> tallies) {
    Tally tally(long now) {
      return tallies.apply(now - countFrom);
    }

    boolean isOver(long now) {
      return now - countFrom >= nanos;
    }

    boolean counts(long now) {
      return now - countFrom >= 0 && !isOver(now);
    }
  }

  private final class Client implements Runnable {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Slice slice;
    private final KeyValueCalls calls;
    private final RandomGenerator random;
    // Of the call in flight.
    private CallKind kind = CallKind.GET;
    private long readAnswered;

    Client(Slice slice, KeyValueCalls calls, RandomGenerator random) {
      this.slice = slice;
      this.calls = calls;
      this.random = random;
    }

    /** Sends calls until one is not answered at once; its answer comes back here. */
    @Override
    public void run() {
      while (true) {
        long sent = nanoClock.getAsLong();
        if (slice.isOver(sent)) {
          done.complete(null);
          return;
        }
        CompletableFuture<?> call = send().toCompletableFuture();
        if (!call.isDone() || call.isCompletedExceptionally()) {
          call.whenComplete((answer, failure) -> resume(sent, failure));
          return;
        }
        count(sent);
      }
    }

    private CompletionStage<?> send() {
      Workload workload = slice.workload();
      kind = workload.mix().any(random);
      if (kind == CallKind.INSERT) {
        int number = keys.claim();
        return calls.put(keys.key(number), value()).thenRun(() -> keys.inserted(number));
      }
      byte[] key = keys.any(workload.choice(), random);
      return switch (kind) {
        case GET -> calls.get(key);
        case DELETE -> calls.delete(key);
        case SCAN -> calls.scan(key, 1 + random.nextInt(Workload.SCAN_ROWS_MOST));
        case READ_MODIFY_WRITE -> calls.get(key).thenCompose(read -> putAfterRead(key));
        case PUT, INSERT -> calls.put(key, value());
      };
    }

    private CompletionStage<?> putAfterRead(byte[] key) {
      readAnswered = nanoClock.getAsLong();
      return calls.put(key, value());
    }

    private byte[] value() {
      return slice.values().any(random);
    }

    private void resume(long sent, Throwable failure) {
      if (failure == null) {
        count(sent);
        run();
      } else {
        slice.tally(nanoClock.getAsLong()).failed(Failures.unwrap(failure));
        AFTER_FAILURE.execute(this);
      }
    }

    private void count(long sent) {
      long now = nanoClock.getAsLong();
      if (slice.counts(now)) {
        Tally tally = slice.tally(now);
        switch (kind) {
          case GET -> tally.read(now - sent);
          case SCAN -> tally.scanned(now - sent);
          case READ_MODIFY_WRITE -> tally.readAndWrote(readAnswered - sent, now - readAnswered);
          case PUT, INSERT, DELETE -> tally.wrote(now - sent);
        }
      }
    }
  }
}
