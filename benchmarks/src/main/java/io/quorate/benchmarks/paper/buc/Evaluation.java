package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Conditions;
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
import java.util.Map;
import java.util.Set;

/** The cases of the evaluation and their expected results. Without side effects. */
final class Evaluation implements Experiment {
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

  static final List<String> EXPERIMENTS = List.of(YCSB, WRITES, SCANS, DELETES, VALUES, CLIENTS);

  private static final String YCSB_PREFIX = "YCSB ";
  private static final String LOAD = YCSB_PREFIX + Ycsb.LOAD;
  private static final String A = YCSB_PREFIX + Ycsb.A;
  private static final String W50 = "W50";
  private static final String S50 = "S50";

  private static final Set<String> CLAIMED = Set.of(LOAD, A, W50, S50);

  private static final List<Metric> METRICS_CLAIMED =
      List.of(Metric.THROUGHPUT, Metric.WRITE_P50, Metric.READ_P50, Metric.SCAN_P50);

  private static final int FIXED_CLIENTS = 64;
  private static final int VALUE_BYTES = 1024;
  private static final double PERCENT = 100;

  /** The total size of the initial long values; there are at least {@link #KEYS_MIN} keys. */
  private static final int LONG_VALUES_BYTES = 16 << 20;

  private static final int KEYS_MIN = 16;

  /**
   * A throughput ratio of at least this is within the variation between two runs of the same
   * system.
   */
  private static final double NOISE = 0.95;

  private final Systems systems;
  private final RunScale scale;

  Evaluation(Systems systems, RunScale scale) {
    this.systems = systems;
    this.scale = scale;
  }

  @Override
  public String name() {
    return "buc";
  }

  @Override
  public String title() {
    return "BUC-Raft: answers at commit, and reads ahead of apply";
  }

  @Override
  public RunPlan pace() {
    return scale.plan();
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
            + " commits.");
  }

  @Override
  public List<Case> cases() {
    return scale.sweeps().stream().flatMap(sweep -> cases(sweep).stream()).toList();
  }

  private List<Case> cases(RunScale.Sweep sweep) {
    Storage storage = sweep.storage();
    List<Case> cases = new ArrayList<>();
    sweep.ycsb().forEach(each -> cases.add(of(YCSB, storage, ycsb(each, FIXED_CLIENTS))));
    sweep.writePercents().forEach(each -> cases.add(of(WRITES, storage, writes(each))));
    sweep.scanPercents().forEach(each -> cases.add(of(SCANS, storage, scans(each))));
    sweep.deletePercents().forEach(each -> cases.add(of(DELETES, storage, deletes(each))));
    sweep.valueBytes().forEach(each -> cases.add(of(VALUES, storage, values(each))));
    sweep.clients().forEach(each -> cases.add(of(CLIENTS, storage, ycsb(Ycsb.LOAD, each))));
    return cases;
  }

  private Case of(String experiment, Storage storage, Load load) {
    return new Case(
        experiment,
        storage.clusters(scale.replicas()),
        Conditions.PLAIN,
        load,
        systems.trio(storage).all(),
        Observation.INDEXES);
  }

  private Load ycsb(Ycsb workload, int clients) {
    return new Load(
        YCSB_PREFIX + workload,
        workload.mix(),
        workload.choice(),
        clients,
        new KeySpace(scale.keys()),
        VALUE_BYTES);
  }

  private Load writes(int percent) {
    return uniform("W" + percent, Mix.of(CallKind.PUT, percent / PERCENT, CallKind.GET));
  }

  private Load scans(int percent) {
    return uniform("S" + percent, Mix.of(CallKind.SCAN, percent / PERCENT, CallKind.PUT));
  }

  private Load deletes(int percent) {
    double deletes = percent / PERCENT / 2;
    Mix mix =
        switch (percent) {
          case 0 -> Mix.of(CallKind.SCAN, 0.5, CallKind.PUT);
          case 100 -> Mix.of(CallKind.SCAN, 0.5, CallKind.DELETE);
          default ->
              new Mix(
                  Map.of(
                      CallKind.SCAN, 0.5, CallKind.DELETE, deletes, CallKind.PUT, 0.5 - deletes));
        };
    return uniform("S50, " + percent + " % of writes delete", mix);
  }

  private Load uniform(String what, Mix mix) {
    return new Load(
        what, mix, KeyChoice.UNIFORM, FIXED_CLIENTS, new KeySpace(scale.keys()), VALUE_BYTES);
  }

  /** Values of another length than the default have a key space of their own. */
  private Load values(int bytes) {
    int keys = Math.max(KEYS_MIN, Math.min(scale.keys(), LONG_VALUES_BYTES / bytes));
    KeySpace space = new KeySpace(bytes == VALUE_BYTES ? 0 : bytes, keys);
    Mix half = Mix.of(CallKind.GET, 0.5, CallKind.PUT);
    return new Load("half gets, half puts", half, KeyChoice.UNIFORM, FIXED_CLIENTS, space, bytes);
  }

  /** The claims of the paper, with the storage of its systems. */
  List<Expectation> claims() {
    List<Expectation> aims = new ArrayList<>();
    for (Case each : cases()) {
      if (isClaimed(each)) {
        Systems.Trio trio = trioOf(each);
        for (Metric metric : METRICS_CLAIMED) {
          systems
              .paper(each, trio.buc(), metric)
              .ifPresent(
                  limit ->
                      aims.add(
                          new Expectation(
                              each, trio.buc(), trio.raft(), metric, bound(metric), limit)));
        }
      }
    }
    return aims;
  }

  /** Whether the case is compared with the claims of the paper. */
  static boolean isClaimed(Case one) {
    return CLAIMED.contains(one.load().what())
        && !one.experiment().equals(CLIENTS)
        && !hasStorage(one, Storage.ONE_LOG);
  }

  private static Bound bound(Metric metric) {
    return metric == Metric.THROUGHPUT ? Bound.AT_LEAST : Bound.AT_MOST;
  }

  /** The expectation of no loss with the default storage, under any load. */
  List<Expectation> noLosses() {
    List<Expectation> aims = new ArrayList<>();
    for (Case each : cases()) {
      if (hasStorage(each, Storage.ONE_LOG)) {
        Systems.Trio trio = trioOf(each);
        for (SystemUnderTest contender : trio.respondingAtCommit()) {
          SystemUnderTest raft = trio.raft();
          aims.add(
              new Expectation(each, contender, raft, Metric.THROUGHPUT, Bound.AT_LEAST, NOISE));
          aims.add(new Expectation(each, contender, raft, Metric.WRITE_P99, Bound.AT_MOST, 1));
        }
      }
    }
    return aims;
  }

  private Systems.Trio trioOf(Case one) {
    return systems.trio(storageOf(one));
  }

  private static boolean hasStorage(Case one, Storage storage) {
    return storageOf(one) == storage;
  }

  /** The storage of the nodes in a case of this evaluation. */
  static Storage storageOf(Case one) {
    for (Storage storage : Storage.values()) {
      if (one.clusters().name().equals(storage.text())) {
        return storage;
      }
    }
    throw new IllegalArgumentException("This case is of another evaluation: " + one.name());
  }

  @Override
  public Findings findings(Results results) {
    return new BucReport(results, systems, this).findings();
  }
}
