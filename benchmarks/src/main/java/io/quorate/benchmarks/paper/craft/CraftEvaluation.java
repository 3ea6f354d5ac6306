package io.quorate.benchmarks.paper.craft;

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
import io.quorate.benchmarks.paper.report.CaseProperty;
import io.quorate.benchmarks.paper.report.Column;
import io.quorate.benchmarks.paper.report.EvaluationReport;
import io.quorate.benchmarks.paper.report.PaperExperiment;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.benchmarks.paper.result.Pair;
import io.quorate.benchmarks.paper.result.RatioExpectation;
import io.quorate.benchmarks.paper.result.Results;
import java.util.ArrayList;
import java.util.List;

/** The cases of the evaluation and their expected results. Without side effects. */
public final class CraftEvaluation extends Evaluation {
  private static final Paper PAPER =
      new Paper(
          "craft",
          "CRaft: erasure-coded replication of large values",
          "Raft that replicates large values as erasure-coded fragments, beside complete replication,"
              + " on five and seven nodes; every figure beside the paper's.");

  /** Writes of one client, from short values to long ones. */
  static final String LATENCY = "craft-latency";

  /** Writes of many clients, from short values to long ones. */
  static final String THROUGHPUT = "craft-throughput";

  /** What the leader sends, and what the nodes write and store, for each value. */
  static final String BYTES = "craft-bytes";

  /** Writes with fewer and fewer nodes. */
  static final String HEALTHY_NODES = "craft-healthy-nodes";

  /** The first reads of values at a new leader. */
  static final String NEW_LEADER = "craft-new-leader";

  /** The part of complete replication's bytes that is expected, with a tenth for other data. */
  static final double BYTES_MAX = 1.1 / CraftSystems.DATA_FRAGMENTS;

  /** Some reads at a new leader, and one to find it. */
  private static final int KEYS_READ = 11;

  /** Few, because bytes do not depend on the load, and every fragment is to arrive in time. */
  private static final int FEW_CLIENTS = 4;

  private static final String WRITES = "writes";
  private static final String KIB_PATTERN = "%.1f";

  /** In the order of the report. */
  static final List<PaperExperiment> EXPERIMENTS =
      List.of(
          new PaperExperiment(
              LATENCY,
              "Writes of one client",
              CaseProperty.VALUE_BYTES,
              List.of(Metric.WRITE_P50, Metric.WRITE_P99)),
          new PaperExperiment(
              THROUGHPUT,
              "Writes of many clients",
              CaseProperty.VALUE_BYTES,
              List.of(Metric.THROUGHPUT)),
          new PaperExperiment(
              BYTES,
              "Bytes for each value",
              CaseProperty.VALUE_BYTES,
              List.of(Metric.LEADER_SENT, Metric.FOLLOWER_STORED, Metric.WRITTEN)),
          new PaperExperiment(
              HEALTHY_NODES,
              "Healthy nodes",
              CaseProperty.HEALTHY_NODES,
              List.of(Metric.THROUGHPUT)),
          new PaperExperiment(
              NEW_LEADER,
              "First reads at a new leader",
              CaseProperty.VALUE_BYTES,
              List.of(Metric.FIRST_READ, Metric.TEN_READS)));

  private static final List<Column> COLUMNS =
      List.of(
          Column.median("ops/s", Metric.THROUGHPUT, "%.1f"),
          Column.spread(Metric.THROUGHPUT),
          Column.ratio(Metric.THROUGHPUT),
          Column.paper(Metric.THROUGHPUT),
          Column.millis("write p50 ms", Metric.WRITE_P50),
          Column.ratio(Metric.WRITE_P50),
          Column.paper(Metric.WRITE_P50),
          Column.millis("p99", Metric.WRITE_P99),
          Column.count("CPU %", Metric.CPU),
          Column.count("CPU µs/call", Metric.CPU_PER_CALL),
          Column.count("errors", Metric.ERRORS),
          Column.median("leader sent KiB", Metric.LEADER_SENT, KIB_PATTERN),
          Column.ratio(Metric.LEADER_SENT),
          Column.paper(Metric.LEADER_SENT),
          Column.median("follower stored KiB", Metric.FOLLOWER_STORED, KIB_PATTERN),
          Column.ratio(Metric.FOLLOWER_STORED),
          Column.paper(Metric.FOLLOWER_STORED),
          Column.median("leader stored KiB", Metric.LEADER_STORED, KIB_PATTERN),
          Column.ratio(Metric.LEADER_STORED),
          Column.median("node wrote KiB", Metric.WRITTEN, KIB_PATTERN),
          Column.ratio(Metric.WRITTEN),
          Column.millis("first read ms", Metric.FIRST_READ),
          Column.ratio(Metric.FIRST_READ),
          Column.millis("mean of ten ms", Metric.TEN_READS),
          Column.ratio(Metric.TEN_READS));

  private final CraftSystems systems;
  private final CraftScale scale;

  /** {@code paper craft}. */
  public static PaperCommand command() {
    CraftSystems systems = CraftSystems.ofPresets();
    return new PaperCommand(
        new CraftEvaluation(systems, CraftScale.FULL),
        new CraftEvaluation(systems, CraftScale.QUICK));
  }

  CraftEvaluation(CraftSystems systems, CraftScale scale) {
    super(PAPER, scale.plan(), systems, COLUMNS);
    this.systems = systems;
    this.scale = scale;
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios are over raft. A value is restored from any "
            + CraftSystems.DATA_FRAGMENTS
            + " fragments. The paper's figures are its largest gains, and beside large values.",
        "Where no bandwidth is stated, the network is the loopback of this machine, without a"
            + " limit; otherwise each node has this bandwidth in each direction. The paper's nodes"
            + " had 550 Mbit/s, which complete copies saturated.",
        "The JVMs of the nodes use their first compiler only, because the second one would use up"
            + " the cores for longer than everything is measured; values are coded with tables then,"
            + " which costs coded replication more than vectors would.",
        "There are up to 100 clients, and fewer where their values in flight would exceed 32 MiB,"
            + " because of the memory of so many nodes on one machine.",
        "Bytes sent are those of the leader on its connections with the other nodes, as the system"
            + " counts them for each connection, without headers. Bytes stored are the growth of"
            + " the files in the data directory of a node; bytes written are those that its process"
            + " has written to disks, including compactions and the log. All are for each new value,"
            + " after flushes and the truncation of the log.");
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (CraftScale.Sweep sweep : scale.sweeps()) {
      int replicas = sweep.replicas();
      cases.addAll(writes(Clusters.of(replicas), sweep.written()));
      sweep.counted().forEach(bytes -> cases.add(counted(replicas, bytes)));
      sweep.read().forEach(bytes -> cases.add(newLeader(replicas, bytes)));
      for (int bytes : sweep.duringOutage()) {
        for (int stopped = 0; stopped <= sweep.faults(); stopped++) {
          cases.add(outage(replicas, bytes, stopped));
        }
      }
      for (int megabits : sweep.megabitsPerSecond()) {
        cases.addAll(writes(Clusters.limited(replicas, megabits), sweep.limited()));
      }
    }
    return cases;
  }

  private List<Case> writes(Clusters clusters, List<Integer> valueBytes) {
    List<Case> cases = new ArrayList<>();
    valueBytes.forEach(bytes -> cases.add(latency(clusters, bytes)));
    valueBytes.forEach(bytes -> cases.add(throughput(clusters, bytes)));
    return cases;
  }

  private Case latency(Clusters clusters, int valueBytes) {
    return ofWrites(LATENCY, clusters, load(WRITES, 1, CraftScale.keys(valueBytes), valueBytes));
  }

  private Case throughput(Clusters clusters, int valueBytes) {
    return ofWrites(THROUGHPUT, clusters, highLoad(valueBytes));
  }

  private Case counted(int replicas, int valueBytes) {
    return new Case(
        BYTES,
        Clusters.of(replicas),
        Conditions.PLAIN,
        load("new values", FEW_CLIENTS, CraftScale.keys(valueBytes), valueBytes),
        systems.all(),
        Observation.BYTES);
  }

  private Case newLeader(int replicas, int valueBytes) {
    return new Case(
        NEW_LEADER,
        Clusters.of(replicas),
        Conditions.PLAIN,
        load("writes, then reads", 1, KEYS_READ, valueBytes),
        systems.all(),
        Observation.READS_AT_NEW_LEADER);
  }

  /** On clusters of their own, because restarted nodes are slow at first. */
  private Case outage(int replicas, int valueBytes, int stopped) {
    return new Case(
        HEALTHY_NODES,
        new Clusters("healthy nodes", replicas, DataMedium.DISK),
        Conditions.stopped(stopped),
        highLoad(valueBytes),
        systems.all(),
        Observation.CALLS);
  }

  private Case ofWrites(String experiment, Clusters clusters, ClientLoad load) {
    return new Case(experiment, clusters, Conditions.PLAIN, load, systems.all(), Observation.CALLS);
  }

  private static ClientLoad highLoad(int valueBytes) {
    return load(WRITES, CraftScale.clients(valueBytes), CraftScale.keys(valueBytes), valueBytes);
  }

  private static ClientLoad load(String what, int clients, int keys, int valueBytes) {
    return new ClientLoad(
        what, Mix.of(CallKind.PUT), KeyChoice.UNIFORM, clients, new KeySpace(keys), valueBytes);
  }

  /** The expectations; some may concern cases that are not measured. */
  List<RatioExpectation> expectations() {
    List<RatioExpectation> expectations = new ArrayList<>();
    for (CraftScale.Sweep sweep : scale.sweeps()) {
      int replicas = sweep.replicas();
      expectations.addAll(speed(Clusters.of(replicas)));
      for (int megabits : sweep.megabitsPerSecond()) {
        expectations.addAll(speed(Clusters.limited(replicas, megabits)));
      }
      Case counted = counted(replicas, CraftSystems.LARGE_BYTES);
      for (Metric metric : List.of(Metric.LEADER_SENT, Metric.FOLLOWER_STORED)) {
        expectations.add(ofCraft(counted).atMost(metric, BYTES_MAX));
      }
      expectations.addAll(liveness(sweep));
    }
    return expectations;
  }

  /** The throughput and latency of the paper, if it has clusters of this size. */
  private List<RatioExpectation> speed(Clusters clusters) {
    List<RatioExpectation> expectations = new ArrayList<>();
    Case throughput = throughput(clusters, CraftSystems.LARGE_BYTES);
    Case latency = latency(clusters, CraftSystems.LARGE_BYTES);
    systems
        .paper(throughput, systems.craft(), Metric.THROUGHPUT)
        .ifPresent(
            paper -> expectations.add(ofCraft(throughput).atLeast(Metric.THROUGHPUT, paper)));
    systems
        .paper(latency, systems.craft(), Metric.WRITE_P50)
        .ifPresent(paper -> expectations.add(ofCraft(latency).atMost(Metric.WRITE_P50, paper)));
    return expectations;
  }

  /** Craft writes while a majority runs; without complete copies, k further nodes are needed. */
  private List<RatioExpectation> liveness(CraftScale.Sweep sweep) {
    List<RatioExpectation> expectations = new ArrayList<>();
    for (int bytes : sweep.duringOutage()) {
      for (int stopped = 0; stopped <= sweep.faults(); stopped++) {
        Case outage = outage(sweep.replicas(), bytes, stopped);
        expectations.add(ofCraft(outage).above(Metric.THROUGHPUT, 0));
        int healthy = sweep.replicas() - stopped;
        if (healthy < sweep.faults() + CraftSystems.DATA_FRAGMENTS) {
          expectations.add(
              new Pair(outage, systems.rsRaft(), systems.raft()).atMost(Metric.THROUGHPUT, 0));
        }
      }
    }
    return expectations;
  }

  private Pair ofCraft(Case measured) {
    return new Pair(measured, systems.craft(), systems.raft());
  }

  @Override
  public EvaluationReport report(Results results) {
    return emptyReport(results)
        .figures(EXPERIMENTS)
        .expectations("Aims", expectations())
        .plots(CraftPlots.of(results, systems));
  }
}
