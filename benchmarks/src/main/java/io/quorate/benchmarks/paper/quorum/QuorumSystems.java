package io.quorate.benchmarks.paper.quorum;

import io.quorate.benchmarks.cluster.Deployment;
import io.quorate.benchmarks.paper.experiment.Case;
import io.quorate.benchmarks.paper.experiment.SystemUnderTest;
import io.quorate.benchmarks.paper.result.Claim;
import io.quorate.benchmarks.paper.result.Comparison;
import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.client.ClientOptions.QuorumReads;
import io.quorate.server.localcluster.Launch;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.IntFunction;

/**
 * The compared systems.
 *
 * @param leader reads by the leader: the baseline
 * @param local reads of what the receiving node has applied; not linearizable
 * @param quorum the simple rule of the paper, which may miss a write that is being committed
 * @param retry the strong rule of the paper, which retries while a write is in flight
 * @param strong linearizable, merged by the node that receives the request
 * @param strongByClient linearizable, merged by the client
 * @param adaptive by the leader or by a quorum, depending on the load
 * @param mixed a percentage of the reads by the leader, the others by a quorum
 */
record QuorumSystems(
    SystemUnderTest leader,
    SystemUnderTest local,
    SystemUnderTest quorum,
    SystemUnderTest retry,
    SystemUnderTest strong,
    SystemUnderTest strongByClient,
    SystemUnderTest adaptive,
    IntFunction<SystemUnderTest> mixed)
    implements Comparison {
  private static final String STRONG = "quorum";
  private static final double PAPER_READ_RATIO = 0.95;

  /** A JVM with the threads of a machine with one processor, as each node has a part of one. */
  private static final String ONE_PROCESSOR = "-XX:ActiveProcessorCount=1";

  /** About 2 of 7: with five nodes, each serves then as many reads as the others. */
  private static final int EVEN_LEADER_PERCENT = 29;

  /** Throughput in the paper: about 60 % more, under high load with 95 % reads. */
  static final double PAPER_THROUGHPUT = 1.6;

  /** Write latency in the paper: up to four times less. */
  static final double PAPER_WRITE_LATENCY = 0.25;

  /** Of its own approaches and our variants of them, under high load. */
  private static final List<Claim> CLAIMS =
      List.of(
          new Claim(Metric.THROUGHPUT, PAPER_THROUGHPUT, QuorumSystems::isHighLoad),
          new Claim(Metric.WRITE_P50, PAPER_WRITE_LATENCY, QuorumSystems::isHighLoad));

  /** Throughput where both are saturated, and the mean latency where the leader nearly is. */
  private static final List<Claim> CLAIMS_OF_OPEN_LOOP =
      List.of(
          new Claim(Metric.THROUGHPUT, PAPER_THROUGHPUT, each -> each.load().offered().isEmpty()),
          new Claim(
              Metric.WRITE_MEAN,
              PAPER_WRITE_LATENCY,
              each ->
                  each.load()
                      .offered()
                      .equals(OptionalDouble.of(QuorumEvaluation.NEARLY_SATURATED))));

  /** The systems of the evaluation. */
  static QuorumSystems ofPresets() {
    return new QuorumSystems(
        new SystemUnderTest("leader", new Deployment("raft")),
        ofPreset("local"),
        ofPreset("quorum-simple"),
        ofPreset("quorum-retry"),
        ofPreset(STRONG),
        new SystemUnderTest(STRONG + ", by client", new Deployment(STRONG), QuorumReads.BY_CLIENT),
        ofPreset("adaptive"),
        percent ->
            new SystemUnderTest(
                "mixed, " + percent + " % by leader",
                new Deployment(
                    "mixed", Map.of("leader-reads-percent", Integer.toString(percent)))));
  }

  private static SystemUnderTest ofPreset(String preset) {
    return new SystemUnderTest(preset, new Deployment(preset));
  }

  /** In the order of tables and plots. */
  List<SystemUnderTest> approaches() {
    return List.of(leader, local, quorum, retry, strong, strongByClient, adaptive);
  }

  /** The systems with expectations, and the simple rule of the paper. */
  List<SystemUnderTest> fewApproaches() {
    return List.of(leader, quorum, strong, strongByClient, adaptive);
  }

  /** The leader alone, fixed parts of the reads by the leader, and the adaptive system. */
  List<SystemUnderTest> fractions(List<Integer> percents) {
    List<SystemUnderTest> fractions = new ArrayList<>(List.of(leader));
    percents.forEach(percent -> fractions.add(mixed.apply(percent)));
    fractions.add(adaptive);
    return fractions;
  }

  /** The leader in the open loop, and in the closed loop beside it. */
  SystemUnderTest leaderInOpenLoop() {
    return onOneProcessor(leader);
  }

  /**
   * The systems with the aims of the open loop.
   *
   * @param all whether the one that merges by the client is among them
   */
  List<SystemUnderTest> quorumInOpenLoop(boolean all) {
    SystemUnderTest byNode = onOneProcessor(strong);
    return all ? List.of(byNode, onOneProcessor(strongByClient)) : List.of(byNode);
  }

  /** The systems in the open loop, of which the first determines the rates. */
  List<SystemUnderTest> inOpenLoop(boolean all) {
    List<SystemUnderTest> systems = new ArrayList<>(List.of(leaderInOpenLoop()));
    systems.addAll(quorumInOpenLoop(all));
    if (all) {
      systems.add(onOneProcessor(mixed.apply(EVEN_LEADER_PERCENT)));
    }
    return systems;
  }

  /** The second compiler would use the quota of a node for minutes. */
  private static SystemUnderTest onOneProcessor(SystemUnderTest system) {
    Deployment deployment = system.deployment();
    return new SystemUnderTest(
        system.name(),
        new Deployment(
            deployment.preset(),
            deployment.settings(),
            List.of(ONE_PROCESSOR, Launch.FIRST_COMPILER_ONLY)),
        system.quorumReads());
  }

  private static boolean isOnOneProcessor(SystemUnderTest system) {
    return system.deployment().jvmFlags().contains(ONE_PROCESSOR);
  }

  @Override
  public Optional<SystemUnderTest> baseline(SystemUnderTest contender) {
    SystemUnderTest baseline = isOnOneProcessor(contender) ? leaderInOpenLoop() : leader;
    return contender.equals(baseline) ? Optional.empty() : Optional.of(baseline);
  }

  @Override
  public OptionalDouble paper(Case measured, SystemUnderTest contender, Metric metric) {
    boolean isOpenLoop = measured.experiment().equals(QuorumEvaluation.OPEN_LOOP);
    List<SystemUnderTest> ofPaper =
        isOpenLoop ? quorumInOpenLoop(true) : List.of(quorum, retry, strong, strongByClient);
    return ofPaper.contains(contender)
        ? Claim.ratio(isOpenLoop ? CLAIMS_OF_OPEN_LOOP : CLAIMS, measured, metric)
        : OptionalDouble.empty();
  }

  private static boolean isHighLoad(Case one) {
    return one.load().readRatio() == PAPER_READ_RATIO
        && one.load().clients() == QuorumEvaluation.MANY_CLIENTS
        && one.load().keys().count() >= QuorumEvaluation.KEYS_OF_CLAIM;
  }
}
