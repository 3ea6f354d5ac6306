package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Claim;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.client.ClientOptions.QuorumReads;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The compared systems.
 *
 * @param published Rabia as published, with reads by consensus: the baseline of the paper
 * @param owned Rabia with owned slots, with reads by consensus
 * @param byNode the same with quorum reads, merged by the node that receives the request
 * @param byClient the same, merged by the client
 * @param raft our Raft
 */
record AcqrSystems(
    SystemUnderTest published,
    SystemUnderTest owned,
    SystemUnderTest byNode,
    SystemUnderTest byClient,
    SystemUnderTest raft)
    implements Comparison {
  private static final double PAPER_READ_RATIO = 0.95;

  /** Of quorum reads, over reads by consensus. */
  private static final List<Claim> CLAIMS =
      List.of(
          new Claim(Metric.THROUGHPUT, 1.7, AcqrSystems::isOfPaper),
          new Claim(Metric.READ_P50, 0.6, AcqrSystems::isOfPaper));

  /** The systems of the evaluation. */
  static AcqrSystems ofPresets() {
    return new AcqrSystems(
        new SystemUnderTest(
            "rabia, published", new Deployment("rabia", Map.of("rabia.chooser", "published"))),
        new SystemUnderTest("rabia, owned", new Deployment("rabia")),
        new SystemUnderTest("acqr, by node", new Deployment("acqr"), QuorumReads.BY_NODE),
        new SystemUnderTest("acqr, by client", new Deployment("acqr"), QuorumReads.BY_CLIENT),
        new SystemUnderTest("raft", new Deployment("raft")));
  }

  /** The systems whose reads are compared, in the order of tables and plots. */
  List<SystemUnderTest> readers() {
    return List.of(published, owned, byNode, byClient);
  }

  List<SystemUnderTest> quorumReaders() {
    return List.of(byNode, byClient);
  }

  /**
   * Quorum reads and Raft are compared with Rabia with owned slots, which is compared with the
   * published Rabia.
   */
  @Override
  public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
    if (contender.equals(owned)) {
      return Optional.of(published);
    }
    return quorumReaders().contains(contender) || contender.equals(raft)
        ? Optional.of(owned)
        : Optional.empty();
  }

  @Override
  public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
    return quorumReaders().contains(contender)
        ? Claim.ratio(CLAIMS, measured, metric)
        : OptionalDouble.empty();
  }

  private static boolean isOfPaper(Case one) {
    return one.load().readRatio() == PAPER_READ_RATIO && one.oneWayDelay().isZero();
  }
}
