package io.quorate.benchmarks.kv;

import io.quorate.client.cli.ProgressLine;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * One run over connections that are there: writes the keys, then puts on the workloads in turns.
 */
public final class KvRun {
  private static final long PROGRESS_MILLIS = 250;
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long RUN_SEED = 20_260_101;

  private final List<KeyValueCalls> connections;
  private final KeySpace keys;
  private final ProgressLine progress;
  private final LongSupplier nanoClock;
  private final ClosedLoop loop;

  /**
   * @param keys of the cluster that is connected; they become more where some are inserted
   * @param nanoClock as {@link System#nanoTime}
   */
  public KvRun(
      List<KeyValueCalls> connections,
      Population keys,
      ProgressLine progress,
      LongSupplier nanoClock) {
    this.connections = connections;
    this.keys = keys.initial();
    this.progress = progress;
    this.nanoClock = nanoClock;
    this.loop = new ClosedLoop(connections, keys, nanoClock, RUN_SEED);
  }

  /** Writes every key that was there from the beginning. Blocks. */
  public void preload(int valueBytes) throws IOException, InterruptedException {
    Preload preload = new Preload(connections, keys, new Values(valueBytes));
    await(preload.run(), () -> "writing keys: " + preload.sent() + " of " + keys.count());
  }

  /** Blocks until every workload has had its time; the result keeps their order. */
  public Map<Workload, Tally> measure(List<Workload> workloads, Duration warmup, Duration measured)
      throws IOException, InterruptedException {
    Map<Workload, Tally> tallies = new LinkedHashMap<>();
    workloads.forEach(workload -> tallies.put(workload, new Tally()));
    if (!warmup.isZero()) {
      for (Workload workload : workloads) {
        turn("warming up: ", workload, 0, warmup.toNanos(), new Tally());
      }
    }
    Schedule schedule = Schedule.of(measured, workloads.size());
    for (int round = 1; round <= schedule.rounds(); round++) {
      String label = "round " + round + " of " + schedule.rounds() + ": ";
      for (Workload workload : workloads) {
        turn(label, workload, schedule.rampNanos(), schedule.sliceNanos(), tallies.get(workload));
      }
    }
    return tallies;
  }

  /**
   * Puts one workload on once. Blocks until the last client has its answer.
   *
   * @param label before the state that the progress line shows
   * @param rampNanos at the start, when answers are not counted
   * @param nanos how long calls are sent after the ramp
   */
  public Tally turn(String label, Workload workload, long rampNanos, long nanos)
      throws IOException, InterruptedException {
    Tally tally = new Tally();
    turn(label, workload, rampNanos, nanos, tally);
    return tally;
  }

  /**
   * Puts one workload on at once, without warming anything up. Blocks until the last client has its
   * answer.
   *
   * @return a tally for each second from the start
   */
  public List<Tally> series(Workload workload, int seconds)
      throws IOException, InterruptedException {
    List<Tally> tallies = Stream.generate(Tally::new).limit(seconds).toList();
    long start = nanoClock.getAsLong();
    await(
        loop.run(
            workload,
            0,
            Duration.ofSeconds(seconds).toNanos(),
            elapsed -> tallies.get(second(elapsed, seconds))),
        () -> {
          int now = second(nanoClock.getAsLong() - start, seconds);
          return String.format(
              Locale.ROOT,
              "%s: second %d of %d, %d ops in the one before",
              workload.name(),
              now + 1,
              seconds,
              now == 0 ? 0 : tallies.get(now - 1).all().count());
        });
    tallies.forEach(tally -> tally.measured(Duration.ofSeconds(1).toNanos()));
    return tallies;
  }

  private static int second(long elapsedNanos, int seconds) {
    return (int) Math.max(0, Math.min(seconds - 1, elapsedNanos / NANOS_PER_SECOND));
  }

  private void turn(String label, Workload workload, long rampNanos, long nanos, Tally tally)
      throws IOException, InterruptedException {
    long answersBefore = tally.all().count();
    long start = nanoClock.getAsLong();
    await(
        loop.run(workload, rampNanos, nanos, tally),
        () -> {
          double elapsed = Math.max(1, nanoClock.getAsLong() - start - rampNanos) / 1e9;
          return String.format(
              Locale.ROOT,
              "%s%s: %.0f ops/s, p99 %.2f ms, %d errors",
              label,
              workload.name(),
              (tally.all().count() - answersBefore) / elapsed,
              tally.all().millis(99),
              tally.errors());
        });
  }

  private void await(CompletableFuture<Void> end, Supplier<String> state)
      throws IOException, InterruptedException {
    while (true) {
      try {
        end.get(PROGRESS_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        progress.show(state);
      } catch (ExecutionException e) {
        throw new IOException(
            "The measurement was broken off: " + e.getCause().getMessage(), e.getCause());
      }
    }
  }
}
