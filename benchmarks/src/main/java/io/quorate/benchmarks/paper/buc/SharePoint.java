package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.result.Rounds;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The gain of a system that responds at commit, over the share of apply in the time of a write of
 * plain Raft: closed-loop clients whose calls take 1 - share of the time complete 1 / (1 - share)
 * times as many.
 *
 * @param contender the system that responds at commit
 * @param share from 0 to 1
 * @param gains ratio of the throughputs
 * @param cpuPercent how busy all cores were, with the system that uses more
 * @param batchesWaiting maximum number of batches that were committed and not applied, of both
 */
record SharePoint(
    Case measured,
    SystemUnderTest contender,
    double share,
    Rounds gains,
    double cpuPercent,
    double batchesWaiting) {
  /** Tolerated distance of gain × (1 - share) from 1. */
  static final double TOLERANCE = 0.1;

  private static final double CPU_PERCENT_MAX = 70;

  /** The default of {@code storage.apply-queue-batches}. */
  private static final int QUEUE_BATCHES = 1024;

  private static final int BATCHES_WAITING_MAX = QUEUE_BATCHES / 4;

  /** The point of a system in a case; empty if a figure is missing. */
  static Optional<SharePoint> of(
      Results results, Case measured, BucSystems.Trio trio, SystemUnderTest contender) {
    Optional<Rounds> share = results.of(measured, trio.raft(), Metric.APPLY_SHARE);
    Optional<Rounds> gains = results.ratios(measured, contender, trio.raft(), Metric.THROUGHPUT);
    Optional<Double> cpu =
        both(results, measured, trio, contender, Metric.CPU_MACHINE)
            .map(Rounds::median)
            .max(Double::compare);
    Optional<Double> waiting =
        both(results, measured, trio, contender, Metric.GAP_MAX)
            .map(Rounds::max)
            .max(Double::compare);
    return share.isEmpty() || gains.isEmpty() || cpu.isEmpty() || waiting.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new SharePoint(
                measured, contender, share.get().median(), gains.get(), cpu.get(), waiting.get()));
  }

  private static Stream<Rounds> both(
      Results results,
      Case measured,
      BucSystems.Trio trio,
      SystemUnderTest contender,
      Metric metric) {
    return Stream.of(trio.raft(), contender)
        .flatMap(system -> results.of(measured, system, metric).stream());
  }

  /** Gain × (1 - share), which is 1 if the gain is that of an earlier response and nothing else. */
  double product() {
    return gains.median() * (1 - share);
  }

  boolean isOnCurve() {
    return Math.abs(product() - 1) <= TOLERANCE;
  }

  /** Why something else than the time of a response limited the throughput; empty if nothing. */
  Optional<String> rejection() {
    if (cpuPercent > CPU_PERCENT_MAX) {
      return Optional.of(String.format(Locale.ROOT, "%.0f %% of the processors", cpuPercent));
    }
    return batchesWaiting > BATCHES_WAITING_MAX
        ? Optional.of(String.format(Locale.ROOT, "%.0f batches waited", batchesWaiting))
        : Optional.empty();
  }
}
