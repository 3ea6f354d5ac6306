package io.quorate.benchmarks.kv;

import io.quorate.common.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * An open loop: calls start at the times of a Poisson process, whether earlier ones have completed
 * or not. Latency counts from the intended start, so that a call that is sent late, because the
 * system or the sender was slow, is as slow as its user would find it.
 *
 * <p>One thread sends all calls of a run, over the connections in turn. Calls in flight are
 * bounded; a call that is due while so many are in flight is dropped and counted.
 */
final class OpenLoop {
  private final List<KeyValueCalls> connections;
  private final Population keys;
  private final LongSupplier nanoClock;
  private final LongConsumer pause;

  /**
   * @param nanoClock like {@link System#nanoTime}
   * @param pause waits for a number of nanoseconds of this clock, or less
   */
  OpenLoop(
      List<KeyValueCalls> connections,
      Population keys,
      LongSupplier nanoClock,
      LongConsumer pause) {
    this.connections = List.copyOf(connections);
    this.keys = keys;
    this.nanoClock = nanoClock;
    this.pause = pause;
  }

  /**
   * Runs the workload, whose number of clients is the maximum number of calls in flight. Calls that
   * are due in the ramp-up are sent and not counted.
   *
   * @param callsPerSecond mean rate, above 0
   * @param seed for the times of the calls, and for their kinds, keys and values
   * @param rampNanos duration of the ramp-up
   * @param stats of the time after the ramp-up, whose duration is {@code nanos}
   * @return completes with the last call; its completion before that ends the sending
   */
  CompletableFuture<Void> run(
      KvWorkload workload,
      double callsPerSecond,
      long seed,
      long rampNanos,
      long nanos,
      OpenLoopStats stats) {
    SplittableRandom seeds = new SplittableRandom(seed);
    PoissonArrivals arrivals = new PoissonArrivals(callsPerSecond, seeds.split());
    RandomValues values = new RandomValues(workload.valueBytes());
    List<RandomCalls> calls = new ArrayList<>();
    for (KeyValueCalls connection : connections) {
      calls.add(new RandomCalls(workload, values, connection, keys, seeds.split(), nanoClock));
    }
    Sender sender =
        new Sender(
            arrivals, calls, workload.clients(), nanoClock.getAsLong(), rampNanos, nanos, stats);
    Thread thread = new Thread(sender, "open-loop");
    thread.setDaemon(true);
    thread.start();
    return sender.done;
  }

  private final class Sender implements Runnable {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final PoissonArrivals arrivals;
    private final List<RandomCalls> calls;
    private final int inFlightMax;
    private final long start;
    private final long countFrom;
    private final long end;
    private final OpenLoopStats stats;

    /** The calls in flight, and one while more may be sent. */
    private final AtomicInteger pending = new AtomicInteger(1);

    Sender(
        PoissonArrivals arrivals,
        List<RandomCalls> calls,
        int inFlightMax,
        long start,
        long rampNanos,
        long nanos,
        OpenLoopStats stats) {
      this.arrivals = arrivals;
      this.calls = calls;
      this.inFlightMax = inFlightMax;
      this.start = start;
      this.countFrom = start + rampNanos;
      this.end = countFrom + nanos;
      this.stats = stats;
    }

    @Override
    public void run() {
      try {
        long due = start + arrivals.nextNanos();
        for (int i = 0; due - end < 0 && !done.isDone(); i++) {
          await(due);
          offer(due, calls.get(i % calls.size()));
          due = start + arrivals.nextNanos();
        }
        ended();
      } catch (RuntimeException e) {
        done.completeExceptionally(e);
      }
    }

    private void await(long due) {
      for (long left = due - nanoClock.getAsLong(); left > 0; left = due - nanoClock.getAsLong()) {
        pause.accept(left);
      }
    }

    private void offer(long due, RandomCalls from) {
      boolean counts = due - countFrom >= 0;
      if (counts) {
        stats.offered();
      }
      if (pending.get() > inFlightMax) {
        if (counts) {
          stats.dropped();
        }
        return;
      }
      if (counts) {
        stats.sentAfter(nanoClock.getAsLong() - due);
      }
      pending.incrementAndGet();
      SentCall call = from.send();
      call.result().whenComplete((value, failure) -> completed(call, due, failure));
    }

    private void completed(SentCall call, long due, Throwable failure) {
      long now = nanoClock.getAsLong();
      if (failure == null && now - countFrom >= 0 && now - end < 0) {
        stats.completed();
      }
      if (due - countFrom >= 0) {
        if (failure == null) {
          call.record(stats.calls(), due, now);
        } else {
          stats.calls().failed(Failures.unwrap(failure));
        }
      }
      ended();
    }

    private void ended() {
      if (pending.decrementAndGet() == 0) {
        done.complete(null);
      }
    }
  }
}
