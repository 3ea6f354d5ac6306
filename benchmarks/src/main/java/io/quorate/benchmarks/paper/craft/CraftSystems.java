package io.quorate.benchmarks.paper.craft;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Claim;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.server.localcluster.Launch;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The compared systems.
 *
 * @param raft complete replication: the baseline
 * @param craft fragments, or complete copies if too few nodes are healthy
 * @param rsRaft fragments only: the paper's RS-Raft
 */
record CraftSystems(SystemUnderTest raft, SystemUnderTest craft, SystemUnderTest rsRaft)
    implements Comparison {
  /** The number of fragments that restore a value, in the paper and here. */
  static final int DATA_FRAGMENTS = 3;

  /**
   * The shortest values for which the paper's figures are shown: its gains grow with the length.
   */
  static final int LARGE_BYTES = CraftScale.MIB;

  /**
   * Of CRaft beside large values, with five and with seven nodes: throughput is 180 and 250 % more,
   * latency up to 45 and 60 % less, and a follower stores 66 % less.
   */
  private static final List<Claim> CLAIMS =
      List.of(
          claim(CraftEvaluation.THROUGHPUT, Metric.THROUGHPUT, 5, 2.8),
          claim(CraftEvaluation.THROUGHPUT, Metric.THROUGHPUT, 7, 3.5),
          claim(CraftEvaluation.LATENCY, Metric.WRITE_P50, 5, 0.55),
          claim(CraftEvaluation.LATENCY, Metric.WRITE_P50, 7, 0.4),
          new Claim(Metric.LEADER_SENT, 0.4, each -> isLarge(each, CraftEvaluation.BYTES)),
          new Claim(Metric.FOLLOWER_STORED, 0.34, each -> isLarge(each, CraftEvaluation.BYTES)));

  /**
   * The settings of all systems. The log is truncated soon, because the entries that it retains by
   * default would be gigabytes with large values, and the bytes on disk are compared after that.
   * The nodes share one disk, so a node whose disk is slow gains nothing from another leader.
   */
  private static final Map<String, String> COMMON =
      Map.of(
          "storage.flush-interval", "1s",
          "raft.purge-interval", "1s",
          "raft.log-retained-entries", "16",
          "raft.disk-stall-timeout", "20s");

  /**
   * Short values are coded too, which shows from where on that pays. A queue of values on a slow
   * link is not to end in errors that complete copies do not have.
   */
  private static final Map<String, String> CODED =
      Map.of(
          "raft.coded.data-fragments",
          Integer.toString(DATA_FRAGMENTS),
          "raft.coded.min-value",
          "16KiB",
          "raft.coded.timeout",
          "60s",
          "storage.body-sweep-interval",
          "5s");

  /** The systems of the evaluation. */
  static CraftSystems ofPresets() {
    return new CraftSystems(
        system("raft", "raft", Map.of()),
        system("craft", "craft", CODED),
        system("rs-raft", "rs-raft", CODED));
  }

  /**
   * Up to 21 nodes share the cores. Their second compilers would use them up for many minutes,
   * longer than everything is measured; the first one is done after seconds.
   */
  private static SystemUnderTest system(String name, String preset, Map<String, String> settings) {
    return new SystemUnderTest(
        name, new Deployment(preset, with(COMMON, settings), List.of(Launch.FIRST_COMPILER_ONLY)));
  }

  private static Map<String, String> with(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }

  /** In the order of tables and plots. */
  List<SystemUnderTest> all() {
    return List.of(raft, craft, rsRaft);
  }

  @Override
  public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
    return contender.equals(raft) ? Optional.empty() : Optional.of(raft);
  }

  /** The paper's figures for CRaft, beside those of large values. */
  @Override
  public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
    return contender.equals(craft) ? Claim.ratio(CLAIMS, measured, metric) : OptionalDouble.empty();
  }

  private static Claim claim(String experiment, Metric metric, int replicas, double ratio) {
    return new Claim(
        metric, ratio, each -> isLarge(each, experiment) && each.replicas() == replicas);
  }

  private static boolean isLarge(Case one, String experiment) {
    return one.experiment().equals(experiment) && one.load().valueBytes() >= LARGE_BYTES;
  }
}
