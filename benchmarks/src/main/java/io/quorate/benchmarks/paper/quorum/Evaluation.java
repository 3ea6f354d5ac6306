package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Clusters;
import io.quorate.benchmarks.paper.Conditions;
import io.quorate.benchmarks.paper.DataMedium;
import io.quorate.benchmarks.paper.Expectation;
import io.quorate.benchmarks.paper.Expectation.Bound;
import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.Findings;
import io.quorate.benchmarks.paper.Load;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Observation;
import io.quorate.benchmarks.paper.Results;
import io.quorate.benchmarks.paper.RunPlan;
import io.quorate.benchmarks.paper.SystemUnderTest;
import java.util.ArrayList;
import java.util.List;

/** The cases of the evaluation and their expected results. Without side effects. */
final class Evaluation implements Experiment {
  /** Throughput against latency, from few clients to many, with a CPU limit for each node. */
  static final String CLIENTS = "quorum-clients";

  /** The same, without CPU limits. */
  static final String UNBOUNDED = "quorum-unbounded";

  static final String READ_RATIO = "quorum-read-ratio";

  /** From one key to many. */
  static final String HOT_SPOTS = "quorum-hot-spots";

  /** Fixed parts of the reads by the leader, and the adaptive system. */
  static final String FRACTIONS = "quorum-fractions";

  /** The same, with a replica that is slow. */
  static final String SLOW = "quorum-slow-replica";

  static final List<String> EXPERIMENTS =
      List.of(CLIENTS, UNBOUNDED, READ_RATIO, HOT_SPOTS, FRACTIONS, SLOW);

  /** The number of clients under which our figures are compared with those of the paper. */
  static final int MANY_CLIENTS = 80;

  /**
   * The minimum number of keys for a comparison with the paper; fewer keys are hot spots, which its
   * figures do not cover.
   */
  static final int KEYS_OF_CLAIM = 1000;

  private static final int VALUE_BYTES = 100;
  private static final double MOSTLY_READS = 0.95;

  private final Systems systems;
  private final RunScale scale;

  Evaluation(Systems systems, RunScale scale) {
    this.systems = systems;
    this.scale = scale;
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
  public RunPlan pace() {
    return scale.plan();
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios are over reads by the leader. Where it says so each node has a part of a core, as if"
            + " it had a slow machine of its own, so that a leader can have more to do than its"
            + " machine can; the clients have what is left.",
        "local, quorum-simple and quorum-retry are beside the others for comparison: local is not"
            + " linearizable, and quorum-simple may miss a write that is being committed.",
        "Answers to reads are the responses to clients, with values, or with read replies for"
            + " clients that merge; requests between nodes show in their use of the processors.");
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    Conditions shared = Conditions.shares(scale.corePercent());
    for (int clients : scale.clients()) {
      cases.add(ofApproaches(CLIENTS, load(clients, MOSTLY_READS, scale.keys()), shared));
    }
    cases.add(
        ofApproaches(UNBOUNDED, load(MANY_CLIENTS, MOSTLY_READS, scale.keys()), Conditions.PLAIN));
    for (double ratio : scale.readRatios()) {
      cases.add(ofApproaches(READ_RATIO, load(MANY_CLIENTS, ratio, scale.keys()), shared));
    }
    for (int keys : scale.hotKeys()) {
      cases.add(ofApproaches(HOT_SPOTS, load(MANY_CLIENTS, MOSTLY_READS, keys), shared));
    }
    cases.add(fractions());
    cases.add(slow());
    return cases;
  }

  private Case ofApproaches(String experiment, Load load, Conditions conditions) {
    return new Case(
        experiment,
        Clusters.of(scale.replicas()),
        conditions,
        load,
        scale.allApproaches() ? systems.approaches() : systems.fewApproaches(),
        Observation.READS);
  }

  private Case fractions() {
    return ofFractions(FRACTIONS, Conditions.shares(scale.corePercent()));
  }

  private Case slow() {
    return ofFractions(SLOW, Conditions.shares(scale.corePercent(), scale.corePercentOfSlow()));
  }

  private Case ofFractions(String experiment, Conditions conditions) {
    return new Case(
        experiment,
        new Clusters("parts of the reads by the leader", scale.replicas(), DataMedium.DISK),
        conditions,
        load(MANY_CLIENTS, MOSTLY_READS, scale.keys()),
        systems.fractions(scale.leaderPercents()),
        Observation.READS);
  }

  private static Load load(int clients, double readRatio, int keys) {
    return new Load(clients, readRatio, keys, VALUE_BYTES);
  }

  /** The expectations. */
  List<Expectation> aims() {
    Case highLoad =
        ofApproaches(
            CLIENTS,
            load(MANY_CLIENTS, MOSTLY_READS, scale.keys()),
            Conditions.shares(scale.corePercent()));
    List<Expectation> aims = new ArrayList<>();
    for (SystemUnderTest strong : List.of(systems.strong(), systems.strongByClient())) {
      aims.add(
          new Expectation(
              highLoad,
              strong,
              systems.leader(),
              Metric.THROUGHPUT,
              Bound.AT_LEAST,
              Systems.PAPER_THROUGHPUT));
      aims.add(
          new Expectation(
              highLoad,
              strong,
              systems.leader(),
              Metric.WRITE_P50,
              Bound.AT_MOST,
              Systems.PAPER_WRITE_LATENCY));
    }
    for (int percent : scale.leaderPercents()) {
      SystemUnderTest fixed = systems.mixed().apply(percent);
      aims.add(
          new Expectation(
              fractions(), systems.adaptive(), fixed, Metric.THROUGHPUT, Bound.AT_LEAST, 1));
      aims.add(
          new Expectation(slow(), systems.adaptive(), fixed, Metric.THROUGHPUT, Bound.ABOVE, 1));
    }
    return aims;
  }

  @Override
  public Findings findings(Results results) {
    return new QuorumReport(results, systems, scale, aims()).findings();
  }
}
