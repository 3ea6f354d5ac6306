package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.Paper;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Pair;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The cases of the evaluation and their expected results. Without side effects. */
public final class AcqrEvaluation extends Evaluation {
  private static final Paper PAPER =
      new Paper(
          "acqr",
          "ACQR: quorum reads over Rabia",
          "Quorum reads over Rabia beside reads by consensus, and Rabia with owned slots beside the"
              + " published one; every figure beside the paper's.");

  /** Throughput against latency, from few clients to many. */
  static final String CLIENTS = "acqr-clients";

  /** From writes only to reads only. */
  static final String READ_RATIO = "acqr-read-ratio";

  /** From one key to many. */
  static final String CONTENTION = "acqr-contention";

  /** With delays between sites. */
  static final String WIDE_AREA = "acqr-wide-area";

  /** Writes only, with the counters of the nodes. */
  static final String WRITES = "acqr-writes";

  private static final int KEYS = 1000;
  private static final int VALUE_BYTES = 10;
  private static final int LONG_VALUE_BYTES = 1024;
  private static final int FIXED_CLIENTS = 64;
  private static final int FEW_CLIENTS = 1;
  private static final int MANY_CLIENTS = 256;
  private static final double HALF = 0.5;
  private static final double MOSTLY_READS = 0.95;
  private static final int RAFT_REPLICAS = 3;

  /** From this number of replicas on, one cluster runs at a time. */
  private static final int REPLICAS_ONE_AT_A_TIME = 5;

  private static final List<Metric> PLOTTED =
      List.of(Metric.THROUGHPUT, Metric.READ_P50, Metric.WRITE_P50);

  /** In the order of the report. */
  static final List<PaperExperiment> EXPERIMENTS =
      List.of(
          new PaperExperiment(CLIENTS, "50 % reads, few clients to many"),
          new PaperExperiment(READ_RATIO, "Share of reads", CaseProperty.READ_PERCENT, PLOTTED),
          new PaperExperiment(CONTENTION, "Contention", CaseProperty.KEYS, PLOTTED),
          new PaperExperiment(
              WIDE_AREA, "Between sites (in-process delay)", CaseProperty.DELAY, PLOTTED),
          new PaperExperiment(WRITES, "Writes"));

  private static final List<Column> COLUMNS =
      List.of(
          Column.count("ops/s", Metric.THROUGHPUT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.millis("read p50 ms", Metric.READ_P50),
          Column.ratio(Metric.READ_P50),
          Column.paper(Metric.READ_P50),
          Column.millis("p99", Metric.READ_P99),
          Column.millis("write p50 ms", Metric.WRITE_P50),
          Column.ratio(Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.median("load average", Metric.LOAD_AVERAGE, "%.1f"),
          Column.count("errors", Metric.ERRORS));

  private final AcqrSystems systems;
  private final AcqrScale scale;

  /** {@code paper acqr}. */
  public static PaperCommand command() {
    AcqrSystems systems = AcqrSystems.ofPresets();
    return new PaperCommand(
        new AcqrEvaluation(systems, AcqrScale.FULL), new AcqrEvaluation(systems, AcqrScale.QUICK));
  }

  AcqrEvaluation(AcqrSystems systems, AcqrScale scale) {
    super(PAPER, scale.plan(), systems, COLUMNS);
    this.systems = systems;
    this.scale = scale;
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios of acqr and raft are over \"rabia, owned\", those of \"rabia, owned\" over \"rabia,"
            + " published\"; the paper's are over its own Rabia, the published one.",
        "With five nodes one cluster runs at a time, with all measurements of its systems, because"
            + " few cores do not suffice for several of them: a ratio there is of measurements some"
            + " minutes apart. Compare their load averages.");
  }

  @Override
  public EvaluationReport report(Results results) {
    Costs costs = new Costs(results, systems);
    return emptyReport(results)
        .figures(EXPERIMENTS)
        .table("What a write costs, beside theory", costs.table())
        .rows(costs.rows())
        .expectations("Aims", expectations())
        .plots(AcqrPlots.of(results, systems));
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (AcqrScale.Sweep sweep : scale.sweeps()) {
      int replicas = sweep.replicas();
      sweep.clients().forEach(clients -> cases.add(ofReaders(CLIENTS, replicas, clients, HALF)));
      sweep.readRatios().forEach(ratio -> cases.add(ofReadRatio(replicas, ratio)));
      for (int keys : sweep.keys()) {
        ClientLoad load = new ClientLoad(FIXED_CLIENTS, HALF, keys, VALUE_BYTES);
        cases.add(ofReaders(CONTENTION, replicas, Duration.ZERO, load));
      }
      cases.add(ofCounts(replicas, FEW_CLIENTS));
      cases.add(ofCounts(replicas, MANY_CLIENTS));
      if (replicas == RAFT_REPLICAS) {
        cases.add(besideRaft(replicas));
      }
      for (Duration delay : sweep.oneWayDelays()) {
        ClientLoad load = new ClientLoad(FIXED_CLIENTS, HALF, KEYS, VALUE_BYTES);
        cases.add(ofReaders(WIDE_AREA, replicas, delay, load));
      }
    }
    return cases;
  }

  /** The expectations; some may concern cases that are not measured. */
  List<RatioExpectation> expectations() {
    List<RatioExpectation> expectations = new ArrayList<>();
    for (AcqrScale.Sweep sweep : scale.sweeps()) {
      int replicas = sweep.replicas();
      expectations.add(
          new Pair(ofCounts(replicas, MANY_CLIENTS), systems.owned(), systems.published())
              .atLeast(Metric.THROUGHPUT, 3));
      for (SystemUnderTest quorum : systems.quorumReaders()) {
        for (SystemUnderTest plain : List.of(systems.owned(), systems.published())) {
          expectations.addAll(ofQuorumReads(replicas, quorum, plain));
        }
      }
      expectations.add(
          new Pair(besideRaft(replicas), systems.owned(), systems.raft())
              .atLeast(Metric.THROUGHPUT, HALF));
    }
    return expectations;
  }

  private List<RatioExpectation> ofQuorumReads(
      int replicas, SystemUnderTest quorum, SystemUnderTest plain) {
    Pair mostlyReads = new Pair(ofReadRatio(replicas, MOSTLY_READS), quorum, plain);
    return List.of(
        mostlyReads.atLeast(Metric.THROUGHPUT, 1.7),
        mostlyReads.atMost(Metric.READ_P50, 0.6),
        new Pair(ofReadRatio(replicas, HALF), quorum, plain).above(Metric.THROUGHPUT, 1));
  }

  private static Clusters clusters(int replicas) {
    return replicas < REPLICAS_ONE_AT_A_TIME
        ? Clusters.of(replicas)
        : Clusters.oneAtATime(replicas);
  }

  private Case ofReadRatio(int replicas, double readRatio) {
    return ofReaders(READ_RATIO, replicas, FIXED_CLIENTS, readRatio);
  }

  private Case ofReaders(String experiment, int replicas, int clients, double readRatio) {
    ClientLoad load = new ClientLoad(clients, readRatio, KEYS, VALUE_BYTES);
    return ofReaders(experiment, replicas, Duration.ZERO, load);
  }

  private Case ofReaders(String experiment, int replicas, Duration delay, ClientLoad load) {
    return new Case(
        experiment,
        clusters(replicas),
        Conditions.delay(delay),
        load,
        systems.readers(),
        Observation.CALLS);
  }

  private Case ofCounts(int replicas, int clients) {
    return new Case(
        WRITES,
        clusters(replicas),
        Conditions.PLAIN,
        new ClientLoad(clients, 0, KEYS, VALUE_BYTES),
        List.of(systems.published(), systems.owned()),
        Observation.BATCHES);
  }

  private Case besideRaft(int replicas) {
    return new Case(
        WRITES,
        clusters(replicas),
        Conditions.PLAIN,
        new ClientLoad(MANY_CLIENTS, 0, KEYS, LONG_VALUE_BYTES),
        List.of(systems.owned(), systems.raft()),
        Observation.BATCHES);
  }
}
