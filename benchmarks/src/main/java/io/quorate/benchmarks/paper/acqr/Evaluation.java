package io.quorate.benchmarks.paper.acqr;

import io.quorate.benchmarks.paper.Case;
import io.quorate.benchmarks.paper.Clusters;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** The cases of the evaluation and their expected results. Without side effects. */
final class Evaluation implements Experiment {
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

  static final List<String> EXPERIMENTS =
      List.of(CLIENTS, READ_RATIO, CONTENTION, WIDE_AREA, WRITES);

  private static final int KEYS = 1000;
  private static final int VALUE_BYTES = 10;
  private static final int LONG_VALUE_BYTES = 1024;
  private static final int FIXED_CLIENTS = 64;
  private static final int FEW_CLIENTS = 1;
  private static final int MANY_CLIENTS = 256;
  private static final double HALF = 0.5;
  private static final double MOSTLY_READS = 0.95;
  private static final int RAFT_REPLICAS = 3;

  private final Systems systems;
  private final RunScale scale;

  Evaluation(Systems systems, RunScale scale) {
    this.systems = systems;
    this.scale = scale;
  }

  @Override
  public String name() {
    return "acqr";
  }

  @Override
  public String title() {
    return "ACQR: quorum reads over Rabia";
  }

  @Override
  public RunPlan pace() {
    return scale.plan();
  }

  @Override
  public List<String> notes() {
    return List.of(
        "Ratios of acqr and raft are over \"rabia, owned\", those of \"rabia, owned\" over \"rabia,"
            + " published\"; the paper's are over its own Rabia, the published one.");
  }

  @Override
  public Findings findings(Results results) {
    return new AcqrReport(results, systems, aims()).findings();
  }

  @Override
  public List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    for (RunScale.Sweep sweep : scale.sweeps()) {
      int replicas = sweep.replicas();
      sweep.clients().forEach(clients -> cases.add(ofReaders(CLIENTS, replicas, clients, HALF)));
      sweep.readRatios().forEach(ratio -> cases.add(ofReadRatio(replicas, ratio)));
      for (int keys : sweep.keys()) {
        Load load = new Load(FIXED_CLIENTS, HALF, keys, VALUE_BYTES);
        cases.add(ofReaders(CONTENTION, replicas, Duration.ZERO, load));
      }
      cases.add(ofCounts(replicas, FEW_CLIENTS));
      cases.add(ofCounts(replicas, MANY_CLIENTS));
      if (replicas == RAFT_REPLICAS) {
        cases.add(besideRaft(replicas));
      }
      for (Duration delay : sweep.oneWayDelays()) {
        Load load = new Load(FIXED_CLIENTS, HALF, KEYS, VALUE_BYTES);
        cases.add(ofReaders(WIDE_AREA, replicas, delay, load));
      }
    }
    return cases;
  }

  /** The expectations; some may concern cases that are not measured. */
  List<Expectation> aims() {
    List<Expectation> aims = new ArrayList<>();
    for (RunScale.Sweep sweep : scale.sweeps()) {
      int replicas = sweep.replicas();
      aims.add(
          new Expectation(
              ofCounts(replicas, MANY_CLIENTS),
              systems.owned(),
              systems.published(),
              Metric.THROUGHPUT,
              Bound.AT_LEAST,
              3));
      for (SystemUnderTest quorum : systems.quorumReaders()) {
        for (SystemUnderTest plain : List.of(systems.owned(), systems.published())) {
          aims.addAll(ofQuorumReads(replicas, quorum, plain));
        }
      }
      aims.add(
          new Expectation(
              besideRaft(replicas),
              systems.owned(),
              systems.raft(),
              Metric.THROUGHPUT,
              Bound.AT_LEAST,
              HALF));
    }
    return aims;
  }

  private List<Expectation> ofQuorumReads(
      int replicas, SystemUnderTest quorum, SystemUnderTest plain) {
    Case mostlyReads = ofReadRatio(replicas, MOSTLY_READS);
    Case half = ofReadRatio(replicas, HALF);
    return List.of(
        new Expectation(mostlyReads, quorum, plain, Metric.THROUGHPUT, Bound.AT_LEAST, 1.7),
        new Expectation(mostlyReads, quorum, plain, Metric.READ_P50, Bound.AT_MOST, 0.6),
        new Expectation(half, quorum, plain, Metric.THROUGHPUT, Bound.ABOVE, 1));
  }

  private Case ofReadRatio(int replicas, double readRatio) {
    return ofReaders(READ_RATIO, replicas, FIXED_CLIENTS, readRatio);
  }

  private Case ofReaders(String experiment, int replicas, int clients, double readRatio) {
    Load load = new Load(clients, readRatio, KEYS, VALUE_BYTES);
    return ofReaders(experiment, replicas, Duration.ZERO, load);
  }

  private Case ofReaders(String experiment, int replicas, Duration delay, Load load) {
    return new Case(
        experiment,
        Clusters.of(replicas),
        Conditions.delay(delay),
        load,
        systems.readers(),
        Observation.NOTHING);
  }

  private Case ofCounts(int replicas, int clients) {
    return new Case(
        WRITES,
        Clusters.of(replicas),
        Conditions.PLAIN,
        new Load(clients, 0, KEYS, VALUE_BYTES),
        List.of(systems.published(), systems.owned()),
        Observation.BATCHES);
  }

  private Case besideRaft(int replicas) {
    return new Case(
        WRITES,
        Clusters.of(replicas),
        Conditions.PLAIN,
        new Load(MANY_CLIENTS, 0, KEYS, LONG_VALUE_BYTES),
        List.of(systems.owned(), systems.raft()),
        Observation.BATCHES);
  }
}
