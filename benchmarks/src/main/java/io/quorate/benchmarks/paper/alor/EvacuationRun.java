package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.KvWorkload;
import io.quorate.benchmarks.kv.WorkloadStats;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.torture.testbed.disk.NodeDevices.Limit;
import java.io.IOException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Measures how long leaders remain on devices that become slow while clients write, what that costs
 * the clients, and when leaders return after the devices are well again. Not thread-safe.
 */
final class EvacuationRun {
  /** The speed of a disk that fails: a few dozen writes a second. */
  private static final Limit SLOW = new Limit(20, 1 << 20);

  private static final int SECONDS_BEFORE = 15;
  private static final int SECONDS_SLOW = 45;

  /** The p99 counts as restored from the first of so many seconds on. */
  private static final int SECONDS_RESTORED = 3;

  private static final double P99 = 99;
  private static final Duration RETURN_MAX = Duration.ofSeconds(90);
  private static final long POLL_MILLIS = 100;

  private final DeviceCluster cluster;
  private final KvRun run;

  EvacuationRun(DeviceCluster cluster, KvRun run) {
    this.cluster = cluster;
    this.run = run;
  }

  /**
   * Slows down the devices of the first nodes for a while. Blocks until the leaders are back.
   *
   * @param slowDevices number of devices, 1 or more
   */
  Map<Metric, Double> measure(KvWorkload workload, int slowDevices)
      throws IOException, InterruptedException {
    CompletableFuture<OptionalDouble> evacuated =
        CompletableFuture.supplyAsync(() -> slowDown(slowDevices), delayed(SECONDS_BEFORE));
    List<WorkloadStats> seconds = run.series(workload, SECONDS_BEFORE + SECONDS_SLOW);
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    result(evacuated).ifPresent(time -> figures.put(Metric.LEADERS_GONE, time));
    figures.put(Metric.ERRORS, (double) seconds.stream().mapToLong(WorkloadStats::errors).sum());
    figures.putAll(latencies(seconds.stream().mapToDouble(EvacuationRun::p99).toArray()));
    cluster.limitAll();
    untilLeadersBack(slowDevices).ifPresent(time -> figures.put(Metric.LEADERS_BACK, time));
    return figures;
  }

  private static Executor delayed(int seconds) {
    return CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS);
  }

  /** Returns the seconds until no leader is left on these devices; empty if some remain. */
  private OptionalDouble slowDown(int slowDevices) {
    try {
      for (int node = 0; node < slowDevices; node++) {
        cluster.limit(node, SLOW);
      }
      return cluster.awaitLeaders(
          slowDevices, count -> count == 0, Duration.ofSeconds(SECONDS_SLOW), POLL_MILLIS);
    } catch (IOException | InterruptedException e) {
      throw new CompletionException(e);
    }
  }

  private OptionalDouble untilLeadersBack(int slowDevices) throws InterruptedException {
    return cluster.awaitLeaders(
        slowDevices, count -> count >= slowDevices, RETURN_MAX, POLL_MILLIS);
  }

  private static OptionalDouble result(CompletableFuture<OptionalDouble> evacuated)
      throws IOException, InterruptedException {
    try {
      return evacuated.get();
    } catch (ExecutionException e) {
      throw new IOException(
          "The devices could not be slowed down: " + e.getCause().getMessage(), e.getCause());
    }
  }

  /** The p99 of the writes of a second; infinite if none completed, which is no short write. */
  private static double p99(WorkloadStats second) {
    return second.writes().count() == 0 ? Double.POSITIVE_INFINITY : second.writes().millis(P99);
  }

  /**
   * The p99 of writes before, in the last third of the slowness, and when it was restored. Without
   * side effects.
   *
   * @param p99 of each second
   */
  static Map<Metric, Double> latencies(double[] p99) {
    double before = median(IntStream.range(SECONDS_BEFORE / 3, SECONDS_BEFORE), p99);
    double after = median(IntStream.range(SECONDS_BEFORE + 2 * SECONDS_SLOW / 3, p99.length), p99);
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    putFinite(figures, Metric.WRITE_P99, before);
    putFinite(figures, Metric.WRITE_P99_SLOW, after);
    IntStream.rangeClosed(SECONDS_BEFORE, p99.length - SECONDS_RESTORED)
        .filter(
            second ->
                IntStream.range(second, second + SECONDS_RESTORED)
                    .allMatch(each -> p99[each] <= AlorEvaluation.P99_RATIO_MAX * before))
        .findFirst()
        .ifPresent(
            second -> figures.put(Metric.WRITE_P99_RESTORED, (double) second - SECONDS_BEFORE));
    return figures;
  }

  /** There is no figure where most seconds had no write. */
  private static void putFinite(Map<Metric, Double> figures, Metric metric, double value) {
    if (Double.isFinite(value)) {
      figures.put(metric, value);
    }
  }

  private static double median(IntStream seconds, double[] p99) {
    double[] sorted = seconds.mapToDouble(second -> p99[second]).sorted().toArray();
    return sorted[sorted.length / 2];
  }
}
