package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Aim;
import io.quorate.benchmarks.paper.Aim.Bound;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Clusters;
import io.quorate.benchmarks.paper.Conditions;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.Findings;
import io.quorate.benchmarks.paper.Load;
import io.quorate.benchmarks.paper.Medium;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Observation;
import io.quorate.benchmarks.paper.Pace;
import io.quorate.benchmarks.paper.Results;
import java.util.ArrayList;
import java.util.List;

/** Which cases the evaluation consists of, and what is hoped of them. Pure. */
final class Evaluation implements Experiment {
  /** Throughput against latency, from few clients to many, each node with its part of a core. */
  static final String CLIENTS = "quorum-clients";

  /** The same, with all processors for all nodes. */
  static final String UNBOUNDED = "quorum-unbounded";

  static final String READ_RATIO = "quorum-read-ratio";

  /** From one key to many. */
  static final String HOT_SPOTS = "quorum-hot-spots";

  /** Fixed parts of the reads by the leader, and what adapts. */
  static final String FRACTIONS = "quorum-fractions";

  /** The same, with a replica that is slow. */
  static final String SLOW = "quorum-slow-replica";

  static final List<String> EXPERIMENTS =
      List.of(CLIENTS, UNBOUNDED, READ_RATIO, HOT_SPOTS, FRACTIONS, SLOW);

  /** The load under which the paper's figures are held against ours. */
  static final int MANY_CLIENTS = 80;

  /** Fewer keys are hot spots, of which the paper's figures are not. */
  static final int KEYS_OF_CLAIM = 1000;

  private static final int VALUE_BYTES = 100;
  private static final double MOSTLY_READS = 0.95;

  private final Lineup lineup;
  private final Extent extent;

  Evaluation(Lineup lineup, Extent extent) {
    this.lineup = lineup;
    this.extent = extent;
  }

  @Override
  public String name() {
    return "quorum";
  }

  @Override
  public String title() {
    return "Quorum reads on Raft: leader or majority";
  }

  @Override
  public Pace pace() {
    return extent.pace();
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios are over reads by the leader. Where it says so each node has a part of a core, as if"
            + " it had a slow machine of its own, so that a leader can have more to do than its"
            + " machine can; the clients have what is left.",
        "local, quorum and quorum-retry are beside the others for comparison: local is not"
            + " linearizable, and quorum may miss a write that is being committed.",
        "Answers to reads are those to clients, of values and of shares for clients that merge; what"
            + " nodes ask each other shows in their use of the processors.");
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    Conditions shared = Conditions.shares(extent.corePercent());
    for (int clients : extent.clients()) {
      cases.add(ofApproaches(CLIENTS, load(clients, MOSTLY_READS, extent.keys()), shared));
    }
    cases.add(
        ofApproaches(UNBOUNDED, load(MANY_CLIENTS, MOSTLY_READS, extent.keys()), Conditions.PLAIN));
    for (double ratio : extent.readRatios()) {
      cases.add(ofApproaches(READ_RATIO, load(MANY_CLIENTS, ratio, extent.keys()), shared));
    }
    for (int keys : extent.hotKeys()) {
      cases.add(ofApproaches(HOT_SPOTS, load(MANY_CLIENTS, MOSTLY_READS, keys), shared));
    }
    cases.add(fractions());
    cases.add(slow());
    return cases;
  }

  private Case ofApproaches(String experiment, Load load, Conditions conditions) {
    return new Case(
        experiment,
        Clusters.of(extent.replicas()),
        conditions,
        load,
        extent.allApproaches() ? lineup.approaches() : lineup.fewApproaches(),
        Observation.READS);
  }

  private Case fractions() {
    return ofFractions(FRACTIONS, Conditions.shares(extent.corePercent()));
  }

  private Case slow() {
    return ofFractions(SLOW, Conditions.shares(extent.corePercent(), extent.corePercentOfSlow()));
  }

  private Case ofFractions(String experiment, Conditions conditions) {
    return new Case(
        experiment,
        new Clusters("parts of the reads by the leader", extent.replicas(), Medium.DISK),
        conditions,
        load(MANY_CLIENTS, MOSTLY_READS, extent.keys()),
        lineup.fractions(extent.leaderPercents()),
        Observation.READS);
  }

  private static Load load(int clients, double readRatio, int keys) {
    return new Load(clients, readRatio, keys, VALUE_BYTES);
  }

  /** What is wished for. */
  List<Aim> aims() {
    Case highLoad =
        ofApproaches(
            CLIENTS,
            load(MANY_CLIENTS, MOSTLY_READS, extent.keys()),
            Conditions.shares(extent.corePercent()));
    List<Aim> aims = new ArrayList<>();
    for (Contender strong : List.of(lineup.strong(), lineup.strongByClient())) {
      aims.add(
          new Aim(
              highLoad,
              strong,
              lineup.leader(),
              Metric.THROUGHPUT,
              Bound.AT_LEAST,
              Lineup.PAPER_THROUGHPUT));
      aims.add(
          new Aim(
              highLoad,
              strong,
              lineup.leader(),
              Metric.WRITE_P50,
              Bound.AT_MOST,
              Lineup.PAPER_WRITE_LATENCY));
    }
    for (int percent : extent.leaderPercents()) {
      Contender fixed = lineup.mixed().apply(percent);
      aims.add(
          new Aim(fractions(), lineup.adaptive(), fixed, Metric.THROUGHPUT, Bound.AT_LEAST, 1));
      aims.add(new Aim(slow(), lineup.adaptive(), fixed, Metric.THROUGHPUT, Bound.ABOVE, 1));
    }
    return aims;
  }

  @Override
  public Findings findings(Results results) {
    return new QuorumReport(results, lineup, extent, aims()).findings();
  }
}
