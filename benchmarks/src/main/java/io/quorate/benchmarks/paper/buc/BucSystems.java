package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Claim;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The compared systems.
 *
 * @param trios by the storage of the nodes
 */
record BucSystems(Map<StorageVariant, Trio> trios) implements Comparison {
  /** The maximum that the paper claims: up to 62 % more. */
  static final double PAPER_THROUGHPUT = 1.62;

  /** The minimum that the paper claims: 12 to 29 % less, with writes in the load. */
  private static final double PAPER_READ_LATENCY = 0.88;

  /** For the cases with the loads of the paper; latencies of writes are 36 to 46 % less there. */
  private static final List<Claim> CLAIMS =
      List.of(
          new Claim(Metric.THROUGHPUT, PAPER_THROUGHPUT, BucEvaluation::isClaimed),
          new Claim(Metric.WRITE_P50, 0.64, BucEvaluation::isClaimed),
          new Claim(Metric.READ_P50, PAPER_READ_LATENCY, each -> isClaimed(each, CallKind.GET)),
          new Claim(Metric.SCAN_P50, PAPER_READ_LATENCY, each -> isClaimed(each, CallKind.SCAN)));

  /**
   * The systems that are compared with the same storage.
   *
   * @param raft responds after apply, and its reads wait for apply
   * @param cr responds at commit
   * @param buc responds at commit, and its reads do not wait for apply
   */
  record Trio(SystemUnderTest raft, SystemUnderTest cr, SystemUnderTest buc) {
    static Trio with(Map<String, String> settings) {
      return new Trio(
          new SystemUnderTest("raft", new Deployment("raft", settings)),
          new SystemUnderTest("cr", new Deployment("cr", settings)),
          new SystemUnderTest("buc", new Deployment("buc", settings)));
    }

    /** In the order of tables and plots. */
    List<SystemUnderTest> all() {
      return List.of(raft, cr, buc);
    }

    /** The systems that respond at commit. */
    List<SystemUnderTest> respondingAtCommit() {
      return List.of(cr, buc);
    }
  }

  /**
   * @throws IllegalArgumentException if a storage has no trio
   */
  BucSystems {
    trios = Map.copyOf(trios);
    if (trios.size() < StorageVariant.values().length) {
      throw new IllegalArgumentException("Each storage has its trio; there are " + trios.keySet());
    }
  }

  /** The systems of the evaluation. */
  static BucSystems ofPresets() {
    Map<StorageVariant, Trio> trios = new EnumMap<>(StorageVariant.class);
    for (StorageVariant storage : StorageVariant.values()) {
      trios.put(storage, Trio.with(storage.settings()));
    }
    return new BucSystems(trios);
  }

  Trio trio(StorageVariant storage) {
    return trios.get(storage);
  }

  @Override
  public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
    return trios.values().stream()
        .filter(trio -> trio.respondingAtCommit().contains(contender))
        .map(Trio::raft)
        .findFirst();
  }

  /**
   * The claims of the paper, for the cases to which they apply: those with the storage of its
   * systems.
   */
  @Override
  public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
    boolean isBuc = trios.values().stream().anyMatch(trio -> trio.buc().equals(contender));
    return isBuc ? Claim.ratio(CLAIMS, measured, metric) : OptionalDouble.empty();
  }

  private static boolean isClaimed(Case one, CallKind kind) {
    return BucEvaluation.isClaimed(one) && one.load().mix().share(kind) > 0;
  }
}
