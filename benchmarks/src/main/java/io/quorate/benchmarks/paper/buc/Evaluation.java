package io.quorate.benchmarks.paper.buc;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.paper.Aim;
import io.quorate.benchmarks.paper.Aim.Bound;
import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Conditions;
import io.quorate.benchmarks.paper.Contender;
import io.quorate.benchmarks.paper.Experiment;
import io.quorate.benchmarks.paper.Findings;
import io.quorate.benchmarks.paper.Load;
import io.quorate.benchmarks.paper.Metric;
import io.quorate.benchmarks.paper.Observation;
import io.quorate.benchmarks.paper.Pace;
import io.quorate.benchmarks.paper.Results;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Which cases the evaluation consists of, and what is hoped of them. Pure. */
final class Evaluation implements Experiment {
  static final String YCSB = "buc-ycsb";

  /** From nearly all writes to nearly all reads. */
  static final String WRITES = "buc-writes";

  /** From half scans to writes alone. */
  static final String SCANS = "buc-scans";

  /** Scans beside writes of which more and more delete. */
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

  /** So many bytes of long values are there from the beginning, and so few keys at least. */
  private static final int LONG_VALUES_BYTES = 16 << 20;

  private static final int KEYS_LEAST = 16;

  /** What is more than this was not lost but is within what two runs of the same differ by. */
  private static final double NOISE = 0.95;

  private final Lineup lineup;
  private final Extent extent;

  Evaluation(Lineup lineup, Extent extent) {
    this.lineup = lineup;
    this.extent = extent;
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
  public Pace pace() {
    return extent.pace();
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
    return extent.grounds().stream().flatMap(ground -> cases(ground).stream()).toList();
  }

  private List<Case> cases(Extent.Ground ground) {
    Storage storage = ground.storage();
    List<Case> cases = new ArrayList<>();
    ground.ycsb().forEach(each -> cases.add(of(YCSB, storage, ycsb(each, FIXED_CLIENTS))));
    ground.writePercents().forEach(each -> cases.add(of(WRITES, storage, writes(each))));
    ground.scanPercents().forEach(each -> cases.add(of(SCANS, storage, scans(each))));
    ground.deletePercents().forEach(each -> cases.add(of(DELETES, storage, deletes(each))));
    ground.valueBytes().forEach(each -> cases.add(of(VALUES, storage, values(each))));
    ground.clients().forEach(each -> cases.add(of(CLIENTS, storage, ycsb(Ycsb.LOAD, each))));
    return cases;
  }

  private Case of(String experiment, Storage storage, Load load) {
    return new Case(
        experiment,
        storage.clusters(extent.replicas()),
        Conditions.PLAIN,
        load,
        lineup.trio(storage).all(),
        Observation.INDEXES);
  }

  private Load ycsb(Ycsb workload, int clients) {
    return new Load(
        YCSB_PREFIX + workload,
        workload.mix(),
        workload.choice(),
        clients,
        new KeySpace(extent.keys()),
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
        what, mix, KeyChoice.UNIFORM, FIXED_CLIENTS, new KeySpace(extent.keys()), VALUE_BYTES);
  }

  /** Values of another length than all others have a table of their own. */
  private Load values(int bytes) {
    int keys = Math.max(KEYS_LEAST, Math.min(extent.keys(), LONG_VALUES_BYTES / bytes));
    KeySpace space = new KeySpace(bytes == VALUE_BYTES ? 0 : bytes, keys);
    Mix half = Mix.of(CallKind.GET, 0.5, CallKind.PUT);
    return new Load("half gets, half puts", half, KeyChoice.UNIFORM, FIXED_CLIENTS, space, bytes);
  }

  /** What the paper claims, with storage as its systems have it. */
  List<Aim> claims() {
    List<Aim> aims = new ArrayList<>();
    for (Case each : cases()) {
      if (isClaimed(each)) {
        Lineup.Trio trio = trioOf(each);
        for (Metric metric : METRICS_CLAIMED) {
          lineup
              .paper(each, trio.buc(), metric)
              .ifPresent(
                  limit ->
                      aims.add(
                          new Aim(each, trio.buc(), trio.raft(), metric, bound(metric), limit)));
        }
      }
    }
    return aims;
  }

  /** Whether the paper's claims are held against the case. */
  static boolean isClaimed(Case one) {
    return CLAIMED.contains(one.load().what())
        && !one.experiment().equals(CLIENTS)
        && !isOn(one, Storage.ONE_LOG);
  }

  private static Bound bound(Metric metric) {
    return metric == Metric.THROUGHPUT ? Bound.AT_LEAST : Bound.AT_MOST;
  }

  /** That nothing is lost with our storage, under any load. */
  List<Aim> noLosses() {
    List<Aim> aims = new ArrayList<>();
    for (Case each : cases()) {
      if (isOn(each, Storage.ONE_LOG)) {
        Lineup.Trio trio = trioOf(each);
        for (Contender ahead : trio.ahead()) {
          Contender raft = trio.raft();
          aims.add(new Aim(each, ahead, raft, Metric.THROUGHPUT, Bound.AT_LEAST, NOISE));
          aims.add(new Aim(each, ahead, raft, Metric.WRITE_P99, Bound.AT_MOST, 1));
        }
      }
    }
    return aims;
  }

  private Lineup.Trio trioOf(Case one) {
    return lineup.trio(storageOf(one));
  }

  private static boolean isOn(Case one, Storage storage) {
    return storageOf(one) == storage;
  }

  /** Of the nodes of a case of this evaluation. */
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
    return new BucReport(results, lineup, this).findings();
  }
}
