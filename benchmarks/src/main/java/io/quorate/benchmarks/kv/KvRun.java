package io.quorate.benchmarks.kv;

import io.quorate.server.cli.terminal.ProgressLine;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * One run over existing connections: writes the keys, then runs the workloads in interleaved
 * slices.
 */
public final class KvRun {
  private static final long PROGRESS_MILLIS = 250;
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  /** The seed of the random choices of all runs; an open loop adds the number of its run. */
  public static final long SEED = 20_260_101;

  private final List<KeyValueCalls> connections;
  private final KeySpace keys;
  private final ProgressLine progress;
  private final LongSupplier nanoClock;
  private final ClosedLoop loop;
  private final OpenLoop openLoop;

  /**
   * @param keys the keys of the connected cluster, which grow if some are inserted
   * @param nanoClock like {@link System#nanoTime}
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
    this.loop = new ClosedLoop(connections, keys, nanoClock, SEED);
    this.openLoop = new OpenLoop(connections, keys, nanoClock, LockSupport::parkNanos);
  }

  /** Writes every initial key. Blocks. */
  public void preload(int valueBytes) throws IOException, InterruptedException {
    preload(valueBytes, Preload.inFlightMax(valueBytes));
  }

  /**
   * Writes every initial key. Blocks.
   *
   * @param inFlightMax maximum number of writes in flight
   */
  public void preload(int valueBytes, int inFlightMax) throws IOException, InterruptedException {
    Preload preload = new Preload(connections, keys, new RandomValues(valueBytes), inFlightMax);
    await(preload.run(), () -> "writing keys: " + preload.sent() + " of " + keys.count());
  }

  /**
   * Writes every initial key as {@link #preload} does, by closed-loop clients, and measures it.
   * Blocks.
   *
   * @param label precedes the state in the progress line
   */
  public Load load(String label, int valueBytes, int clients)
      throws IOException, InterruptedException {
    WorkloadStats stats = new WorkloadStats();
    Map<Long, LongAdder> writes = new ConcurrentHashMap<>();
    long start = nanoClock.getAsLong();
    LongConsumer onWritten =
        nanos -> {
          stats.wrote(nanos);
          long second = (nanoClock.getAsLong() - start) / NANOS_PER_SECOND;
          writes.computeIfAbsent(second, absent -> new LongAdder()).increment();
        };
    Preload preload =
        new Preload(connections, keys, new RandomValues(valueBytes), clients, onWritten);
    await(
        preload.run(),
        () ->
            String.format(
                Locale.ROOT,
                "%swriting keys: %d of %d, %.0f/s",
                label,
                preload.sent(),
                keys.count(),
                stats.all().count() * 1e9 / Math.max(1, nanoClock.getAsLong() - start)));
    long took = nanoClock.getAsLong() - start;
    stats.measured(took);
    List<Double> bySecond =
        LongStream.range(0, took / NANOS_PER_SECOND)
            .mapToObj(second -> (double) writes.getOrDefault(second, new LongAdder()).sum())
            .toList();
    return new Load(stats, bySecond);
  }

  /** Measures all workloads. Blocks until all are complete; the result has their order. */
  public Map<KvWorkload, WorkloadStats> measure(
      List<KvWorkload> workloads, Duration warmup, Duration measured)
      throws IOException, InterruptedException {
    Map<KvWorkload, WorkloadStats> statsByWorkload = new LinkedHashMap<>();
    workloads.forEach(workload -> statsByWorkload.put(workload, new WorkloadStats()));
    if (!warmup.isZero()) {
      for (KvWorkload workload : workloads) {
        warmUp("warming up: ", workload, warmup);
      }
    }
    SliceSchedule schedule = SliceSchedule.of(measured, workloads.size());
    for (int round = 1; round <= schedule.rounds(); round++) {
      String label = "round " + round + " of " + schedule.rounds() + ": ";
      for (KvWorkload workload : workloads) {
        runSlice(
            label,
            workload,
            schedule.rampNanos(),
            schedule.sliceNanos(),
            statsByWorkload.get(workload));
      }
    }
    return statsByWorkload;
  }

  /** Runs one workload for this time, and counts nothing. Blocks as {@link #runSlice}. */
  public void warmUp(String label, KvWorkload workload, Duration duration)
      throws IOException, InterruptedException {
    WorkloadStats stats = new WorkloadStats();
    long start = nanoClock.getAsLong();
    CompletableFuture<Void> end = loop.run(workload, 0, duration.toNanos(), elapsed -> stats);
    await(end, () -> state(label, workload, stats, 0, nanoClock.getAsLong() - start));
  }

  /**
   * Runs one workload once. Blocks until the last call of the last client completes.
   *
   * @param label precedes the state in the progress line
   * @param rampNanos duration of the ramp-up, in which calls are not counted
   * @param nanos duration after the ramp-up in which calls are sent
   */
  public WorkloadStats runSlice(String label, KvWorkload workload, long rampNanos, long nanos)
      throws IOException, InterruptedException {
    WorkloadStats stats = new WorkloadStats();
    runSlice(label, workload, rampNanos, nanos, stats);
    return stats;
  }

  /**
   * Like {@link #runSlice}, for a system that may complete no call: it sends calls for exactly this
   * time.
   */
  public WorkloadStats runExactly(String label, KvWorkload workload, long rampNanos, long nanos)
      throws IOException, InterruptedException {
    WorkloadStats stats = new WorkloadStats();
    long start = nanoClock.getAsLong();
    await(
        loop.runExactly(workload, rampNanos, nanos, stats),
        () -> state(label, workload, stats, 0, nanoClock.getAsLong() - start - rampNanos));
    return stats;
  }

  /**
   * Runs one workload in an open loop: its calls start at random times at this rate, whether
   * earlier ones have completed or not, and at most as many as the workload has clients are in
   * flight. Blocks until the last call completes.
   *
   * @param number of the run; runs with the same number have calls at the same times
   * @param rampNanos duration of the ramp-up, in which calls are not counted
   * @param nanos duration after the ramp-up in which calls are sent
   */
  public OpenLoopStats runOpen(
      String label,
      KvWorkload workload,
      double callsPerSecond,
      int number,
      long rampNanos,
      long nanos)
      throws IOException, InterruptedException {
    OpenLoopStats stats = new OpenLoopStats(nanos);
    await(
        openLoop.run(workload, callsPerSecond, SEED + number, rampNanos, nanos, stats),
        () ->
            String.format(
                Locale.ROOT,
                "%s%s: %.0f/s offered, mean %.2f ms, %.0f %% dropped, %d errors",
                label,
                workload.what(),
                callsPerSecond,
                stats.calls().all().meanMillis(),
                stats.droppedPercent(),
                stats.calls().errors()));
    return stats;
  }

  /**
   * Runs one workload immediately, without a warm-up. Blocks until the last call of the last client
   * completes.
   *
   * @return the statistics of each second from the start
   */
  public List<WorkloadStats> series(KvWorkload workload, int seconds)
      throws IOException, InterruptedException {
    List<WorkloadStats> statsBySecond = Stream.generate(WorkloadStats::new).limit(seconds).toList();
    long start = nanoClock.getAsLong();
    await(
        loop.run(
            workload,
            0,
            Duration.ofSeconds(seconds).toNanos(),
            elapsed -> statsBySecond.get(second(elapsed, seconds))),
        () -> {
          int now = second(nanoClock.getAsLong() - start, seconds);
          return String.format(
              Locale.ROOT,
              "%s: second %d of %d, %d ops in the one before",
              workload.name(),
              now + 1,
              seconds,
              now == 0 ? 0 : statsBySecond.get(now - 1).all().count());
        });
    statsBySecond.forEach(stats -> stats.measured(Duration.ofSeconds(1).toNanos()));
    return statsBySecond;
  }

  private static int second(long elapsedNanos, int seconds) {
    return (int) Math.max(0, Math.min(seconds - 1, elapsedNanos / NANOS_PER_SECOND));
  }

  private void runSlice(
      String label, KvWorkload workload, long rampNanos, long nanos, WorkloadStats stats)
      throws IOException, InterruptedException {
    long callsBefore = stats.all().count();
    long start = nanoClock.getAsLong();
    await(
        loop.run(workload, rampNanos, nanos, stats),
        () ->
            state(label, workload, stats, callsBefore, nanoClock.getAsLong() - start - rampNanos));
  }

  private static String state(
      String label, KvWorkload workload, WorkloadStats stats, long callsBefore, long nanos) {
    return String.format(
        Locale.ROOT,
        "%s%s: %.0f ops/s, p99 %.2f ms, %d errors",
        label,
        workload.name(),
        (stats.all().count() - callsBefore) / (Math.max(1, nanos) / 1e9),
        stats.all().millis(99),
        stats.errors());
  }

  private void await(CompletableFuture<Void> end, Supplier<String> state)
      throws IOException, InterruptedException {
    while (true) {
      try {
        end.get(PROGRESS_MILLIS, TimeUnit.MILLISECONDS);
        return;
      } catch (TimeoutException e) {
        progress.show(state);
      } catch (InterruptedException e) {
        end.cancel(false);
        throw e;
      } catch (ExecutionException e) {
        throw new IOException(
            "The measurement was aborted: " + e.getCause().getMessage(), e.getCause());
      }
    }
  }
}
