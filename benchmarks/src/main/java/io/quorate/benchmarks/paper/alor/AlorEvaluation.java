package io.quorate.benchmarks.paper.alor;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.Paper;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Clusters;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.DataMedium;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import io.quorate.benchmarks.paper.measurement.CaseRunner;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperExperiment;
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

/** The cases of the evaluation and their expected results. Without side effects. */
public final class AlorEvaluation extends Evaluation {
  private static final Paper PAPER =
      new Paper(
          "alor",
          "ALOR: placement by the speed of devices",
          "Replicas and leaders placed by the speed of devices against even distribution, on nodes whose"
              + " devices differ; every figure beside the paper's.");

  /** All workloads with the devices of the paper. */
  static final String OVERALL = "alor-overall";

  /** Other devices of as many nodes. */
  static final String MIXES = "alor-mixes";

  /** Other numbers of nodes. */
  static final String SIZES = "alor-sizes";

  /** Devices that become slow while clients write. */
  static final String EVACUATION = "alor-evacuation";

  /** The aim of the p99 of writes after an evacuation, in relation to that before. */
  static final double P99_RATIO_MAX = 1.5;

  static final int REPLICAS = 3;
  static final int VALUE_BYTES = 1024;

  /** About the bytes of a row with its key in storage. */
  static final int ROW_BYTES = VALUE_BYTES + 32;

  /** Clients that write while devices become slow. */
  private static final int WRITERS = 24;

  private static final double MOSTLY_READS = 0.5;
  private static final double LOAD_MIN = 1.7;
  private static final double READS_MIN = 0.97;

  /** In the order of the report. */
  private static final List<PaperExperiment> EXPERIMENTS =
      List.of(
          new PaperExperiment(OVERALL, "The paper's devices"),
          new PaperExperiment(MIXES, "Other devices of six nodes"),
          new PaperExperiment(SIZES, "Other numbers of nodes"),
          new PaperExperiment(EVACUATION, "Devices that become slow"));

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
          Column.millis("p99", Metric.WRITE_P99),
          Column.ratio(Metric.WRITE_P99),
          Column.median("leaders gone after s", Metric.LEADERS_GONE, "%.1f"),
          Column.millis("p99 then", Metric.WRITE_P99_SLOW),
          Column.count("p99 restored after s", Metric.WRITE_P99_RESTORED),
          Column.count("leaders back after s", Metric.LEADERS_BACK),
          Column.median("fastest/slowest", Metric.SPEED_RATIO, "%.1f"),
          Column.count("leaders at slowest %", Metric.LEADERS_AT_SLOWEST),
          Column.count("replicas %", Metric.REPLICAS_AT_SLOWEST),
          Column.count("CPU %", Metric.CPU),
          Column.count("errors", Metric.ERRORS));

  private final AlorSystems systems;
  private final AlorScale scale;

  /** {@code paper alor}. */
  public static PaperCommand command() {
    AlorSystems systems = AlorSystems.ofPolicies();
    return new PaperCommand(
        new AlorEvaluation(systems, AlorScale.FULL), new AlorEvaluation(systems, AlorScale.QUICK));
  }

  AlorEvaluation(AlorSystems systems, AlorScale scale) {
    super(PAPER, scale.plan(), systems, COLUMNS);
    this.systems = systems;
    this.scale = scale;
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios are over ed. Each node has a device of its own, whose writes the kernel limits: "
            + limits()
            + ". They are slower than the paper's in proportion, so that devices and not the"
            + " processors limit the throughput: a line with more than 140 % CPU of 2 cores is"
            + " one of processors.",
        "Each system begins with an empty cluster of "
            + scale.regions()
            + " regions with three replicas each, and receives the workloads one after the other."
            + " Load writes "
            + scale.rowsPerNode()
            + " rows for each node once, which fills all nodes to 95 % of their capacity;"
            + " that line is of all of it, not of a slice.",
        "The devices that become slow have 20 writes a second from one moment on. Aims: no leader"
            + " left after 5 s, and a p99 of writes of at most 1.5 times that before.",
        "Leaders and replicas at slowest are those on devices of the slowest class, at the end.",
        "The JVMs of the nodes use their first compiler only.");
  }

  private static String limits() {
    List<String> texts = new ArrayList<>();
    for (DeviceClass each : DeviceClass.values()) {
      texts.add(
          String.format(
              Locale.ROOT,
              "%s %d writes and %d MiB a second",
              each,
              each.limit().writesPerSecond(),
              each.limit().bytesPerSecond() >> 20));
    }
    return String.join(", ", texts);
  }

  @Override
  public CaseRunner runner(Path data, BandwidthLimit bandwidthLimit, ProgressLine progress) {
    return new PolicyRunner(scale.plan(), scale.regions(), data, progress);
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>(of(OVERALL, scale.mainMix()));
    scale.mixes().forEach(mix -> cases.addAll(of(MIXES, mix)));
    scale.sizes().forEach(mix -> cases.addAll(of(SIZES, mix)));
    scale.slowDevices().forEach(count -> cases.add(evacuation(count)));
    return cases;
  }

  private Case evacuation(int slowDevices) {
    int nodes = DeviceMix.parse(scale.mainMix()).nodes();
    return new Case(
        EVACUATION,
        new Clusters(nodes + "N", REPLICAS, DataMedium.LIMITED_DEVICES),
        Conditions.slowDevices(slowDevices),
        new ClientLoad(
            "writes",
            Mix.of(CallKind.PUT),
            KeyChoice.UNIFORM,
            WRITERS,
            new KeySpace(scale.rowsPerNode() * nodes),
            VALUE_BYTES),
        List.of(systems.evacuating()),
        Observation.CALLS);
  }

  private List<Case> of(String experiment, String mix) {
    List<Case> cases = new ArrayList<>();
    for (Ycsb workload : AlorSystems.WORKLOADS) {
      cases.add(of(experiment, mix, workload));
    }
    return cases;
  }

  private Case of(String experiment, String mix, Ycsb workload) {
    int rows = scale.rowsPerNode() * DeviceMix.parse(mix).nodes();
    return new Case(
        experiment,
        new Clusters(mix, REPLICAS, DataMedium.LIMITED_DEVICES),
        Conditions.PLAIN,
        new ClientLoad(
            workload.toString(),
            workload.mix(),
            workload.choice(),
            workload.mix().share(CallKind.GET) > MOSTLY_READS ? scale.readers() : scale.clients(),
            new KeySpace(rows),
            VALUE_BYTES),
        systems.policies(),
        Observation.CALLS);
  }

  /** The expectations. */
  List<RatioExpectation> expectations() {
    return List.of(
        overall(Ycsb.LOAD).atLeast(Metric.THROUGHPUT, LOAD_MIN),
        overall(Ycsb.C).atLeast(Metric.THROUGHPUT, READS_MIN));
  }

  private Pair overall(Ycsb workload) {
    return new Pair(of(OVERALL, scale.mainMix(), workload), systems.alor(), systems.ed());
  }

  @Override
  public EvaluationReport report(Results results) {
    return emptyReport(results)
        .table("Throughput over ed", new MixSummary(results, systems).table())
        .figures(EXPERIMENTS)
        .expectations("Aims, besides 1.3 as the mean of all workloads", expectations())
        .plots(AlorPlots.of(results, systems));
  }
}
