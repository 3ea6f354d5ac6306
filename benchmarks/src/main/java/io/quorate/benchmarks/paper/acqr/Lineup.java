package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Comparison;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.client.ClientOptions.QuorumReads;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Who takes part.
 *
 * @param published Rabia as it was published, reads by consensus: the paper's baseline
 * @param owned Rabia with owned slots, reads by consensus
 * @param byNode the same with quorum reads, merged by the node that is asked
 * @param byClient the same, merged by the client
 * @param raft our Raft
 */
record Lineup(
    Contender published, Contender owned, Contender byNode, Contender byClient, Contender raft)
    implements Comparison {
  private static final double PAPER_READ_RATIO = 0.95;
  private static final double PAPER_THROUGHPUT = 1.7;
  private static final double PAPER_READ_LATENCY = 0.6;

  /** Those of the evaluation. */
  static Lineup ofPresets() {
    return new Lineup(
        new Contender(
            "rabia, published", new Deployment("rabia", Map.of("rabia.chooser", "published"))),
        new Contender("rabia, owned", new Deployment("rabia")),
        new Contender("acqr, by node", new Deployment("acqr"), QuorumReads.BY_NODE),
        new Contender("acqr, by client", new Deployment("acqr"), QuorumReads.BY_CLIENT),
        new Contender("raft", new Deployment("raft")));
  }

  /** Those that reads are compared of, in the order of tables and plots. */
  List<Contender> readers() {
    return List.of(published, owned, byNode, byClient);
  }

  List<Contender> quorumReaders() {
    return List.of(byNode, byClient);
  }

  /** Quorum reads are compared with the same Rabia without them, which with the published one. */
  @Override
  public Optional<Contender> baseline(Contender contender) {
    if (contender.equals(owned)) {
      return Optional.of(published);
    }
    return quorumReaders().contains(contender) || contender.equals(raft)
        ? Optional.of(owned)
        : Optional.empty();
  }

  @Override
  public OptionalDouble paper(Case measured, Contender contender, Metric metric) {
    if (measured.load().readRatio() != PAPER_READ_RATIO
        || !measured.oneWayDelay().isZero()
        || !quorumReaders().contains(contender)) {
      return OptionalDouble.empty();
    }
    return switch (metric) {
      case THROUGHPUT -> OptionalDouble.of(PAPER_THROUGHPUT);
      case READ_P50 -> OptionalDouble.of(PAPER_READ_LATENCY);
      default -> OptionalDouble.empty();
    };
  }
}
