package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.paper.Evaluation;
import io.quorate.benchmarks.paper.Paper;
import io.quorate.benchmarks.paper.PaperCommand;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.experiment.Conditions;
import io.quorate.benchmarks.paper.experiment.Observation;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.experiment.Ycsb;
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.report.ResultTables;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Pair;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The cases of the evaluation and their expected results. Without side effects. */
public final class BucEvaluation extends Evaluation {
  private static final Paper PAPER =
      new Paper(
          "buc",
          "BUC-Raft: responses at commit, and reads ahead of apply",
          "Raft that responds at commit (cr) and whose reads do not wait for apply either (buc), beside"
              + " plain Raft; every figure beside the paper's.");

  static final String YCSB = "buc-ycsb";

  /** From nearly all writes to nearly all reads. */
  static final String WRITES = "buc-writes";

  /** From 50 % scans to writes only. */
  static final String SCANS = "buc-scans";

  /** Scans beside writes with an increasing part of deletes. */
  static final String DELETES = "buc-deletes";

  /** From short values to long ones. */
  static final String VALUES = "buc-values";

  /** Load, from few clients to many. */
  static final String CLIENTS = "buc-clients";

  static final List<Metric> PLOTTED =
      List.of(
          Metric.THROUGHPUT,
          Metric.WRITE_P50,
          Metric.WRITE_P99,
          Metric.READ_P50,
          Metric.SCAN_P50,
          Metric.GAP);

  /** In the order of the report, in which each storage has figures of its own. */
  static final List<PaperExperiment> EXPERIMENTS =
      List.of(
          new PaperExperiment(YCSB, "YCSB"),
          new PaperExperiment(WRITES, "Share of writes beside gets", BucPlots.PUTS, PLOTTED),
          new PaperExperiment(SCANS, "Share of scans beside puts", BucPlots.SCANS, PLOTTED),
          new PaperExperiment(
              DELETES, "Scans beside writes that delete", BucPlots.DELETES, PLOTTED),
          new PaperExperiment(VALUES, "Length of values", CaseProperty.VALUE_BYTES, PLOTTED),
          new PaperExperiment(CLIENTS, "Load, few clients to many", BucPlots.CLIENTS, PLOTTED));

  private static final List<Metric> METRICS_CLAIMED =
      List.of(Metric.THROUGHPUT, Metric.WRITE_P50, Metric.READ_P50, Metric.SCAN_P50);

  private static final List<Column> FIGURES =
      List.of(
          Column.count("ops/s", Metric.THROUGHPUT),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.millis("write mean ms", Metric.WRITE_MEAN),
          Column.millis("p50", Metric.WRITE_P50),
          Column.ratio(Metric.WRITE_P50),
          Column.paper(Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.ratio(Metric.WRITE_P99),
          Column.millis("read mean ms", Metric.READ_MEAN),
          Column.millis("p50", Metric.READ_P50),
          Column.ratio(Metric.READ_P50),
          Column.paper(Metric.READ_P50),
          Column.millis("p99", Metric.READ_P99),
          Column.millis("scan p50 ms", Metric.SCAN_P50),
          Column.ratio(Metric.SCAN_P50),
          Column.paper(Metric.SCAN_P50),
          Column.millis("p99", Metric.SCAN_P99),
          Column.count("CPU µs/call", Metric.CPU_PER_CALL),
          Column.ratio(Metric.CPU_PER_CALL),
          Column.count("errors", Metric.ERRORS));
  private static final List<Column> INDEXES =
      List.of(
          Column.count("read index/s", Metric.READ_INDEX),
          Column.count("applied index/s", Metric.APPLIED_INDEX),
          Column.median("gap", Metric.GAP, "%.1f"),
          Column.count("most", Metric.GAP_MAX),
          Column.millis("lag ms", Metric.LAG));

  /**
   * A throughput ratio of at least this is within the variation between two runs of the same
   * system.
   */
  private static final double NOISE = 0.95;

  private final BucSystems systems;
  private final BucScale scale;
  private final BucLoads loads;
  private final ShareExperiment share;

  /** {@code paper buc}. */
  public static PaperCommand command() {
    BucSystems systems = BucSystems.ofPresets();
    return new PaperCommand(
        new BucEvaluation(systems, BucScale.FULL), new BucEvaluation(systems, BucScale.QUICK));
  }

  BucEvaluation(BucSystems systems, BucScale scale) {
    super(PAPER, scale.plan(), systems, FIGURES);
    this.systems = systems;
    this.scale = scale;
    this.loads = new BucLoads(scale.keys());
    this.share = new ShareExperiment(systems);
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios of cr and buc are over raft with the same storage. With storage.wal=on every write is"
            + " in two logs, as in the paper's systems; the default storage is ours, where the log of"
            + " consensus is the only one.",
        "The paper's figures are the ends of its claims: up to 62 % more writes a second, 36 to 46 %"
            + " less latency of writes, 12 to 29 % less of reads where writes are mixed in. It does"
            + " not have one for each workload.",
        "Indexes are the leader's, seen every 40 ms; the lag is the mean gap over the rate of"
            + " commits.",
        "The share of apply is the part of raft's mean time of a write between commit and apply, by"
            + " the leader's counters; the gain is the ratio of throughputs. A point is rejected"
            + " where more than 70 % of all cores are busy, with other programs, or a quarter of the"
            + " queue of apply is full: the gain is then not that of an earlier response.");
  }

  @Override
  public List<Case> cases() {
    return Stream.concat(
            scale.sweeps().stream().flatMap(sweep -> cases(sweep).stream()),
            scale.shares().stream()
                .flatMap(sweep -> share.cases(sweep, scale.replicas(), loads).stream()))
        .toList();
  }

  private List<Case> cases(BucScale.Sweep sweep) {
    StorageVariant storage = sweep.storage();
    List<Case> cases = new ArrayList<>();
    sweep.ycsb().forEach(each -> cases.add(of(YCSB, storage, loads.ycsb(each))));
    sweep.writePercents().forEach(each -> cases.add(of(WRITES, storage, loads.writes(each))));
    sweep.scanPercents().forEach(each -> cases.add(of(SCANS, storage, loads.scans(each))));
    sweep.deletePercents().forEach(each -> cases.add(of(DELETES, storage, loads.deletes(each))));
    sweep.valueBytes().forEach(each -> cases.add(of(VALUES, storage, loads.values(each))));
    sweep.clients().forEach(each -> cases.add(of(CLIENTS, storage, loads.ycsb(Ycsb.LOAD, each))));
    return cases;
  }

  private Case of(String experiment, StorageVariant storage, ClientLoad load) {
    return new Case(
        experiment,
        storage.clusters(scale.replicas()),
        Conditions.PLAIN,
        load,
        systems.trio(storage).all(),
        Observation.INDEXES);
  }

  /** The claims of the paper, with the storage of its systems. */
  List<RatioExpectation> claims() {
    List<RatioExpectation> expectations = new ArrayList<>();
    for (Case each : cases()) {
      if (isClaimed(each)) {
        BucSystems.Trio trio = trioOf(each);
        Pair pair = new Pair(each, trio.buc(), trio.raft());
        for (Metric metric : METRICS_CLAIMED) {
          systems
              .paper(each, trio.buc(), metric)
              .ifPresent(
                  limit ->
                      expectations.add(
                          metric == Metric.THROUGHPUT
                              ? pair.atLeast(metric, limit)
                              : pair.atMost(metric, limit)));
        }
      }
    }
    return expectations;
  }

  /** Whether the case is compared with the claims of the paper. */
  static boolean isClaimed(Case one) {
    return BucLoads.isClaimed(one.load())
        && !one.experiment().equals(CLIENTS)
        && StorageVariant.of(one) != StorageVariant.ONE_LOG;
  }

  /** The expectation of no loss with the default storage, under any load. */
  List<RatioExpectation> noLosses() {
    List<RatioExpectation> expectations = new ArrayList<>();
    for (Case each : cases()) {
      if (StorageVariant.of(each) == StorageVariant.ONE_LOG) {
        BucSystems.Trio trio = trioOf(each);
        for (SystemUnderTest contender : trio.respondingAtCommit()) {
          Pair pair = new Pair(each, contender, trio.raft());
          expectations.add(pair.atLeast(Metric.THROUGHPUT, NOISE));
          expectations.add(pair.atMost(Metric.WRITE_P99, 1));
        }
      }
    }
    return expectations;
  }

  private BucSystems.Trio trioOf(Case one) {
    return systems.trio(StorageVariant.of(one));
  }

  @Override
  public EvaluationReport report(Results results) {
    EvaluationReport report = emptyReport(results);
    for (StorageVariant storage : StorageVariant.values()) {
      for (PaperExperiment each : EXPERIMENTS) {
        report.figures(
            each.heading() + ", " + storage.text(), storage.cases(results.cases(each.name())));
      }
    }
    List<Case> shares = ShareExperiment.measured(results);
    report
        .figures(ShareExperiment.TITLE, shares)
        .table(share.heading(results), share.table(results))
        .rows(share.rows(results));
    ResultTables indexes = new ResultTables(results, systems, INDEXES);
    for (StorageVariant storage : StorageVariant.values()) {
      report.table(
          "Read index and applied index, " + storage.text(),
          indexes.figures(storage.cases(results.cases())));
    }
    return report
        .table("All loads together", new Overall(results, systems).table())
        .expectations(
            "Aims: two synced logs, fsyncs of 1 ms, where accepted", share.expectations(results))
        .expectations("Aims: the paper's claims", claims())
        .missedExpectations("Aims: no losses with the default storage", noLosses())
        .plots(BucPlots.of(results, systems))
        .plots(share.plots(results));
  }
}
