package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.Paper;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.RunPlan;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.benchmarks.paper.measurement.InterleavedRunner;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.report.ResultTables;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Pair;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import io.quorate.benchmarks.paper.testbed.BandwidthLimit;
import io.quorate.server.cli.terminal.ProgressLine;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The cases of the evaluation and their expected results. Without side effects. */
public final class QuorumEvaluation extends Evaluation {
  private static final Paper PAPER =
      new Paper(
          "quorum",
          "Quorum reads on Raft: leader or majority",
          "Reads of Raft by majorities, by the leader, and by a mix of both, on five nodes; every figure"
              + " beside the paper's.");

  /**
   * Latency against the offered load in an open loop, and the closed loop that determines its
   * rates, with a CPU limit for each node.
   */
  static final String OPEN_LOOP = "quorum-open-loop";

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

  /** The rate of the open loop, of the leader's throughput, with the aim of the write latency. */
  static final double NEARLY_SATURATED = 0.95;

  private static final int VALUE_BYTES = 100;
  private static final double MOSTLY_READS = 0.95;

  private static final List<Metric> PLOTTED =
      List.of(Metric.THROUGHPUT, Metric.READ_P50, Metric.WRITE_P50);

  /** In the order of the report, after the open loop. */
  static final List<PaperExperiment> EXPERIMENTS =
      List.of(
          new PaperExperiment(CLIENTS, "95 % reads, few clients to many"),
          new PaperExperiment(UNBOUNDED, "The same, all processors for all nodes"),
          new PaperExperiment(READ_RATIO, "Share of reads", CaseProperty.READ_PERCENT, PLOTTED),
          new PaperExperiment(HOT_SPOTS, "Hot spots", CaseProperty.KEYS, PLOTTED),
          new PaperExperiment(FRACTIONS, "Parts of the reads by the leader"),
          new PaperExperiment(SLOW, "The same, with a slow replica"));

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

  private static final List<Column> OPEN_LOOP_COLUMNS =
      List.of(
          Column.count("offered/s", Metric.OFFERED),
          Column.count("ops/s", Metric.THROUGHPUT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.count("dropped %", Metric.DROPPED),
          Column.millis("read mean ms", Metric.READ_MEAN),
          Column.ratio(Metric.READ_MEAN),
          Column.millis("p50", Metric.READ_P50),
          Column.millis("p99", Metric.READ_P99),
          Column.millis("write mean ms", Metric.WRITE_MEAN),
          Column.ratio(Metric.WRITE_MEAN),
          Column.paper(Metric.WRITE_MEAN),
          Column.millis("p50", Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.count("quota at leader %", Metric.QUOTA_AT_LEADER),
          Column.count("busiest follower %", Metric.QUOTA_AT_BUSIEST),
          Column.count("idlest %", Metric.QUOTA_AT_IDLEST),
          Column.count("reads at leader %", Metric.READS_AT_LEADER),
          Column.millis("sent late p99 ms", Metric.SEND_DELAY_P99),
          Column.count("errors", Metric.ERRORS));

  private final QuorumSystems systems;
  private final QuorumScale scale;

  /** {@code paper quorum}. */
  public static PaperCommand command() {
    QuorumSystems systems = QuorumSystems.ofPresets();
    return new PaperCommand(
        new QuorumEvaluation(systems, QuorumScale.FULL),
        new QuorumEvaluation(systems, QuorumScale.QUICK));
  }

  QuorumEvaluation(QuorumSystems systems, QuorumScale scale) {
    super(PAPER, scale.plan(), systems, COLUMNS);
    this.systems = systems;
    this.scale = scale;
  }

  /** Slices are longer in the open loop: queues near saturation change slowly. */
  @Override
  public RunPlan plan(Case one) {
    return one.experiment().equals(OPEN_LOOP) ? scale.openLoop().plan() : scale.plan();
  }

  /** The open loop first, then the closed loops alone, each with its own plan. */
  @Override
  public CaseRunner runner(Path data, BandwidthLimit bandwidthLimit, ProgressLine progress) {
    return (cases, results) -> {
      Map<Boolean, List<Case>> byLoop =
          cases.stream()
              .collect(Collectors.partitioningBy(each -> each.experiment().equals(OPEN_LOOP)));
      new InterleavedRunner(scale.openLoop().plan(), data, bandwidthLimit, progress)
          .measure(byLoop.get(true), results);
      new InterleavedRunner(scale.plan(), data, bandwidthLimit, progress)
          .measure(byLoop.get(false), results);
    };
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
            + " clients that merge; requests between nodes show in their use of the processors.",
        String.format(
            Locale.ROOT,
            "In the open loop, calls start at the times of a Poisson process (seed %d plus the number"
                + " of the round, from 0), and latency counts from the intended start. Rates are"
                + " relative to the throughput of the leader in the closed loop beside it, the"
                + " median of the rounds so far. At most %d calls are in flight; those beyond are"
                + " dropped. There a figure is of %d rounds of %.1f s, and the JVMs of the nodes have"
                + " the threads of a machine with one processor and use their first compiler only.",
            KvRun.SEED,
            scale.openLoop().inFlightMax(),
            scale.openLoop().plan().rounds(),
            scale.openLoop().plan().slice().toMillis() / 1000.0));
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    cases.add(saturation());
    scale.openLoop().offered().forEach(part -> cases.add(openLoop(part)));
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
    for (KeyChoice choice : scale.hotSpots()) {
      ClientLoad load =
          new ClientLoad(MANY_CLIENTS, MOSTLY_READS, choice, scale.keys(), VALUE_BYTES);
      cases.add(ofApproaches(HOT_SPOTS, load, shared));
    }
    cases.add(fractions());
    cases.add(slow());
    return cases;
  }

  /** The closed loop beside the open one, with so many clients that all systems are saturated. */
  private Case saturation() {
    return openLoop(
        new ClientLoad(
            scale.openLoop().clients(),
            MOSTLY_READS,
            KeyChoice.HOT_FIFTH,
            scale.keys(),
            VALUE_BYTES));
  }

  private Case openLoop(double part) {
    return openLoop(saturation().load().open(part, scale.openLoop().inFlightMax()));
  }

  private Case openLoop(ClientLoad load) {
    return new Case(
        OPEN_LOOP,
        new Clusters("one processor", scale.replicas(), DataMedium.DISK),
        Conditions.cpuLimit(scale.openLoop().corePercent()),
        load,
        systems.inOpenLoop(scale.allApproaches()),
        Observation.READS);
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
    List<RatioExpectation> expectations = new ArrayList<>();
    for (SystemUnderTest quorum : systems.quorumInOpenLoop(scale.allApproaches())) {
      SystemUnderTest leader = systems.leaderInOpenLoop();
      expectations.add(
          new Pair(saturation(), quorum, leader)
              .atLeast(Metric.THROUGHPUT, QuorumSystems.PAPER_THROUGHPUT));
      expectations.add(
          new Pair(openLoop(NEARLY_SATURATED), quorum, leader)
              .atMost(Metric.WRITE_MEAN, QuorumSystems.PAPER_WRITE_LATENCY));
    }
    expectations.addAll(ofClosedLoops());
    return expectations;
  }

  private List<RatioExpectation> ofClosedLoops() {
    Case highLoad =
        ofApproaches(
            CLIENTS,
            load(MANY_CLIENTS, MOSTLY_READS, scale.keys()),
            Conditions.cpuLimit(scale.corePercent()));
    List<RatioExpectation> expectations = new ArrayList<>();
    for (SystemUnderTest strong : List.of(systems.strong(), systems.strongByClient())) {
      Pair pair = new Pair(highLoad, strong, systems.leader());
      expectations.add(pair.atLeast(Metric.THROUGHPUT, QuorumSystems.PAPER_THROUGHPUT));
      expectations.add(pair.atMost(Metric.WRITE_P50, QuorumSystems.PAPER_WRITE_LATENCY));
    }
    for (int percent : scale.leaderPercents()) {
      SystemUnderTest fixed = systems.mixed().apply(percent);
      expectations.add(
          new Pair(fractions(), systems.adaptive(), fixed).atLeast(Metric.THROUGHPUT, 1));
      expectations.add(new Pair(slow(), systems.adaptive(), fixed).above(Metric.THROUGHPUT, 1));
    }
    return expectations;
  }

  @Override
  public EvaluationReport report(Results results) {
    return emptyReport(results)
        .table(
            "Open loop, and the closed loop beside it",
            new ResultTables(results, systems, OPEN_LOOP_COLUMNS).figures(OPEN_LOOP))
        .figures(EXPERIMENTS)
        .expectations("Aims", expectations())
        .plots(QuorumPlots.of(results, systems, scale));
  }
}
