package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.RatioExpectation.Bound;
import io.quorate.benchmarks.paper.result.Results;
import java.util.ArrayList;
import java.util.List;

/** The cases of the evaluation and their expected results. Without side effects. */
final class QuorumEvaluation implements Evaluation {
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

  /** The number of clients under which our figures are compared with those of the paper. */
  static final int MANY_CLIENTS = 80;

  /**
   * The minimum number of keys for a comparison with the paper; fewer keys are hot spots, which its
   * figures do not cover.
   */
  static final int KEYS_OF_CLAIM = 1000;

  private static final int VALUE_BYTES = 100;
  private static final double MOSTLY_READS = 0.95;

  private static final List<Column> COLUMNS =
      List.of(
          Column.count("ops/s", Metric.THROUGHPUT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.millis("read p50 ms", Metric.READ_P50),
          Column.ratio(Metric.READ_P50),
          Column.millis("p99", Metric.READ_P99),
          Column.millis("write p50 ms", Metric.WRITE_P50),
          Column.ratio(Metric.WRITE_P50),
          Column.paper(Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.count("reads at leader %", Metric.READS_AT_LEADER),
          Column.count("at busiest %", Metric.READS_AT_BUSIEST),
          Column.count("CPU at leader %", Metric.CPU_AT_LEADER),
          Column.count("CPU µs/call", Metric.CPU_PER_CALL),
          Column.count("errors", Metric.ERRORS));

  private final QuorumSystems systems;
  private final QuorumScale scale;

  QuorumEvaluation(QuorumSystems systems, QuorumScale scale) {
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
  public RunPlan plan() {
    return scale.plan();
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios are over reads by the leader. Where noted, each node has a part of a core, as if"
            + " it had a slow machine of its own, so that a leader can have more to do than its"
            + " machine can; the clients have what is left.",
        "local, quorum-simple and quorum-retry are beside the others for comparison: local is not"
            + " linearizable, and quorum-simple may miss a write that is being committed.",
        "Responses to reads are those to clients, with values, or with read replies for"
            + " clients that merge; requests between nodes show in their use of the processors.");
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    Conditions shared = Conditions.cpuLimit(scale.corePercent());
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

  private Case ofApproaches(String experiment, ClientLoad load, Conditions conditions) {
    return new Case(
        experiment,
        Clusters.of(scale.replicas()),
        conditions,
        load,
        scale.allApproaches() ? systems.approaches() : systems.fewApproaches(),
        Observation.READS);
  }

  private Case fractions() {
    return ofFractions(FRACTIONS, Conditions.cpuLimit(scale.corePercent()));
  }

  private Case slow() {
    return ofFractions(SLOW, Conditions.cpuLimit(scale.corePercent(), scale.corePercentOfSlow()));
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

  private static ClientLoad load(int clients, double readRatio, int keys) {
    return new ClientLoad(clients, readRatio, keys, VALUE_BYTES);
  }

  /** The expectations. */
  List<RatioExpectation> expectations() {
    Case highLoad =
        ofApproaches(
            CLIENTS,
            load(MANY_CLIENTS, MOSTLY_READS, scale.keys()),
            Conditions.cpuLimit(scale.corePercent()));
    List<RatioExpectation> expectations = new ArrayList<>();
    for (SystemUnderTest strong : List.of(systems.strong(), systems.strongByClient())) {
      expectations.add(
          new RatioExpectation(
              highLoad,
              strong,
              systems.leader(),
              Metric.THROUGHPUT,
              Bound.AT_LEAST,
              QuorumSystems.PAPER_THROUGHPUT));
      expectations.add(
          new RatioExpectation(
              highLoad,
              strong,
              systems.leader(),
              Metric.WRITE_P50,
              Bound.AT_MOST,
              QuorumSystems.PAPER_WRITE_LATENCY));
    }
    for (int percent : scale.leaderPercents()) {
      SystemUnderTest fixed = systems.mixed().apply(percent);
      expectations.add(
          new RatioExpectation(
              fractions(), systems.adaptive(), fixed, Metric.THROUGHPUT, Bound.AT_LEAST, 1));
      expectations.add(
          new RatioExpectation(
              slow(), systems.adaptive(), fixed, Metric.THROUGHPUT, Bound.ABOVE, 1));
    }
    return expectations;
  }

  @Override
  public EvaluationReport report(Results results) {
    return new EvaluationReport(name(), results, systems, COLUMNS)
        .figures("95 % reads, few clients to many", CLIENTS)
        .figures("The same, all processors for all nodes", UNBOUNDED)
        .figures("Share of reads", READ_RATIO)
        .figures("Hot spots", HOT_SPOTS)
        .figures("Parts of the reads by the leader", FRACTIONS)
        .figures("The same, with a slow replica", SLOW)
        .expectations("Aims", expectations())
        .plots(QuorumPlots.of(results, systems, scale));
  }
}
