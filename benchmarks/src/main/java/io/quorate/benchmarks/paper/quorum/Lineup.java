package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Comparison;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.client.ClientOptions.QuorumReads;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntFunction;

/**
 * Who takes part.
 *
 * @param leader reads by the leader: the baseline
 * @param local what the node asked has applied; not linearizable
 * @param quorum the paper's simple rule, which may miss a write that is being committed
 * @param retry the paper's strong rule, which asks again while a write is on its way
 * @param strong linearizable, merged by the node that is asked
 * @param strongByClient the same, merged by the client
 * @param adaptive by the leader or by a quorum, as the load is
 * @param mixed so many percent of the reads by the leader, the others by a quorum
 */
record Lineup(
    Contender leader,
    Contender local,
    Contender quorum,
    Contender retry,
    Contender strong,
    Contender strongByClient,
    Contender adaptive,
    IntFunction<Contender> mixed)
    implements Comparison {
  private static final String STRONG = "quorum-strong";
  private static final double PAPER_READ_RATIO = 0.95;

  /** About 60 % more, where the load is high and 95 % of it reads. */
  static final double PAPER_THROUGHPUT = 1.6;

  /** Up to four times less. */
  static final double PAPER_WRITE_LATENCY = 0.25;

  /** Those of the evaluation. */
  static Lineup ofPresets() {
    return new Lineup(
        ofPreset("leader"),
        ofPreset("local"),
        ofPreset("quorum"),
        ofPreset("quorum-retry"),
        ofPreset(STRONG),
        new Contender(STRONG + ", by client", new Deployment(STRONG), QuorumReads.BY_CLIENT),
        ofPreset("adaptive"),
        percent ->
            new Contender(
                "mixed, " + percent + " % by leader",
                new Deployment(
                    "mixed", Map.of("leader-reads-percent", Integer.toString(percent)))));
  }

  private static Contender ofPreset(String preset) {
    return new Contender(preset, new Deployment(preset));
  }

  /** In the order of tables and plots. */
  List<Contender> approaches() {
    return List.of(leader, local, quorum, retry, strong, strongByClient, adaptive);
  }

  /** Those of which something is wished for, and the paper's simple one. */
  List<Contender> fewApproaches() {
    return List.of(leader, quorum, strong, strongByClient, adaptive);
  }

  /** The leader alone, fixed parts of it, and what adapts. */
  List<Contender> fractions(List<Integer> percents) {
    List<Contender> fractions = new ArrayList<>(List.of(leader));
    percents.forEach(percent -> fractions.add(mixed.apply(percent)));
    fractions.add(adaptive);
    return fractions;
  }

  @Override
  public Optional<Contender> baseline(Contender contender) {
    return contender.equals(leader) ? Optional.empty() : Optional.of(leader);
  }

  /** What the paper tells of high load, beside the approaches that are its own and ours for it. */
  @Override
  public OptionalDouble paper(Case measured, Contender contender, Metric metric) {
    boolean isOfPaper = List.of(quorum, retry, strong, strongByClient).contains(contender);
    if (!isOfPaper
        || measured.load().readRatio() != PAPER_READ_RATIO
        || measured.load().clients() != Evaluation.MANY_CLIENTS
        || measured.load().keys().count() < Evaluation.KEYS_OF_CLAIM) {
      return OptionalDouble.empty();
    }
    return switch (metric) {
      case THROUGHPUT -> OptionalDouble.of(PAPER_THROUGHPUT);
      case WRITE_P50 -> OptionalDouble.of(PAPER_WRITE_LATENCY);
      default -> OptionalDouble.empty();
    };
  }
}
