package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.experiment.Ycsb;
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
 * The compared systems: one cluster with different policies of placement.
 *
 * @param ed replicas and leaders are distributed evenly by their number: the baseline
 * @param lmo only leaders follow the speed of the devices
 * @param alor replicas do too
 * @param evacuating the same, with the default limits of a slow device
 */
record AlorSystems(
    SystemUnderTest ed, SystemUnderTest lmo, SystemUnderTest alor, SystemUnderTest evacuating)
    implements Comparison {
  /** The workloads of the paper, in the order in which a cluster receives them. */
  static final List<Ycsb> WORKLOADS = List.of(Ycsb.LOAD, Ycsb.A, Ycsb.B, Ycsb.C);

  /** The mix with which the paper compares all workloads, and its parts. */
  private static final String MIX_OF_PAPER = "1N2H3P";

  /** Of leaders and replicas that follow the speed of the devices. */
  private static final List<Claim> CLAIMS =
      List.of(
          claim(Ycsb.LOAD, 1.726),
          claim(Ycsb.A, 1.615),
          claim(Ycsb.B, 1.137),
          claim(Ycsb.C, 0.998));

  /** Of the leaders alone. */
  private static final List<Claim> CLAIMS_OF_LEADERS = List.of(claim(Ycsb.LOAD, 1.2285));

  /**
   * The settings of all systems. Log and memory of a region are small, because a device has a few
   * hundred megabytes, and a node many regions.
   */
  private static final Map<String, String> COMMON =
      Map.ofEntries(
          Map.entry("cluster.replicas", "3"),
          Map.entry("limits.value", "16KiB"),
          Map.entry("limits.batch", "32KiB"),
          Map.entry("raft.entry-size-max", "64KiB"),
          Map.entry("raft.segment-size", "1MiB"),
          Map.entry("raft.log-retained-entries", "64"),
          Map.entry("raft.purge-interval", "2s"),
          Map.entry("raft.disk-stall-timeout", "20s"),
          Map.entry("storage.flush-interval", "2s"),
          Map.entry("storage.free-space-min", "16MiB"),
          Map.entry("placement.split-size", "0B"));

  /**
   * A flush delays the fsyncs of a device as limited as these for a long time, which is not to
   * count as a fault of it where policies are compared.
   */
  private static final Map<String, String> NEVER_SLOW = Map.of("placement.slow-sync", "20s");

  /** With the second compiler six nodes would compete for two cores for minutes. */
  private static final List<String> JVM_FLAGS = List.of(Launch.FIRST_COMPILER_ONLY);

  /** The systems of the evaluation. */
  static AlorSystems ofPolicies() {
    return new AlorSystems(
        system("ed", "ed", NEVER_SLOW),
        system("lmo", "lmo", NEVER_SLOW),
        system("alor", "alor", NEVER_SLOW),
        system("alor, evacuating", "alor", Map.of()));
  }

  private static SystemUnderTest system(String name, String policy, Map<String, String> settings) {
    Map<String, String> all = new HashMap<>(COMMON);
    all.putAll(settings);
    all.put("placement.policy", policy);
    return new SystemUnderTest(name, new Deployment("raft", all, JVM_FLAGS));
  }

  /** The compared policies, in the order of tables and plots. */
  List<SystemUnderTest> policies() {
    return List.of(ed, lmo, alor);
  }

  @Override
  public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
    return List.of(ed, evacuating).contains(contender) ? Optional.empty() : Optional.of(ed);
  }

  @Override
  public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
    if (contender.equals(alor)) {
      return Claim.ratio(CLAIMS, measured, metric);
    }
    return contender.equals(lmo)
        ? Claim.ratio(CLAIMS_OF_LEADERS, measured, metric)
        : OptionalDouble.empty();
  }

  private static Claim claim(Ycsb workload, double throughput) {
    return new Claim(
        Metric.THROUGHPUT,
        throughput,
        each ->
            each.clusters().name().equals(MIX_OF_PAPER)
                && each.load().what().equals(workload.toString()));
  }
}
