package io.quorate.torture.simulation;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.core.Coin;
import io.quorate.rabia.core.Counters;
import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.core.Settings;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import io.quorate.rabia.protocol.Message;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/** One run of a simulated group. */
final class Simulation {
  /** Receives the result of a read that has waited for its barrier. */
  interface BarrierReply {
    void complete(long latestEpoch, Position at, int value);
  }

  private static final long FAULTS_END = 90_000_000;
  private static final long FINISH_TIMEOUT = 3_000_000_000L;

  private final SimulationOptions options;
  private final Scheduler scheduler;
  private final Network network;
  private final Settings settings;
  private final Invariants invariants;
  private final Map<NodeId, SimulatedNode> nodes = new LinkedHashMap<>();
  private final List<SimulatedClient> clients = new ArrayList<>();
  private final List<RegisterHistory> histories = new ArrayList<>();
  private final Consumer<String> trace;
  private final long fsyncMin;
  private final long fsyncMax;
  private final boolean slowExecution;
  private final int coins;
  private final long coinSalt;
  private final Configuration first;
  private int nextNode;
  private int nextValue = 1;
  private final Coverage coverage = new Coverage();

  /**
   * @param trace receives a line for each event; null for no trace
   */
  Simulation(long seed, SimulationOptions options, Consumer<String> trace) {
    this.options = options;
    this.trace = trace;
    this.scheduler = new Scheduler(seed);
    this.network = new Network(scheduler);
    this.settings = smallSettings();
    this.fsyncMin = scheduler.between(20_000L, 100_000L);
    this.fsyncMax = fsyncMin * scheduler.between(1, 8);
    this.slowExecution = scheduler.chance(0.3);
    this.coins = scheduler.between(0, 3);
    this.coinSalt = scheduler.random().nextLong();
    List<Member> members = new ArrayList<>();
    for (int i = 0; i < options.replicas(); i++) {
      members.add(newMember());
    }
    this.first = Configuration.first(members);
    this.invariants = new Invariants(options.mutation(), settings.alpha(), first);
    for (Member member : members) {
      add(member.node(), Checkpoint.initial(first), 0);
    }
    for (int i = 0; i < options.keys(); i++) {
      histories.add(new RegisterHistory("k" + i));
    }
    for (int i = 0; i < options.clients(); i++) {
      clients.add(new SimulatedClient(this, i, options.operations(), histories));
    }
  }

  /** Settings with bounds so small that runs reach all of them. */
  private Settings smallSettings() {
    int alpha = scheduler.between(24, 64);
    Settings.Timing timing =
        new Settings.Timing(
            scheduler.between(20_000L, 100_000L),
            scheduler.between(100_000L, 1_000_000L),
            scheduler.between(200_000L, 1_000_000L),
            scheduler.between(1_000_000L, 4_000_000L),
            scheduler.between(2_000_000L, 6_000_000L),
            scheduler.between(4_000_000L, 10_000_000L));
    Settings.Bounds bounds =
        Settings.Bounds.DEFAULT.toBuilder()
            .inFlight(scheduler.between(1, 6))
            .inFlightBytes(scheduler.between(20L, 400L))
            .waitingCommands(64)
            .waitingBytes(4_096)
            .batchCommands(scheduler.between(1, 8))
            .batchBytes(128)
            .bodyBytes(scheduler.chance(0.2) ? 64 : 1 << 20)
            .tailSlots(scheduler.between(8, 200))
            .tailBytes(1 << 20)
            .chunk(scheduler.between(2, 10))
            .resentSlots(8)
            .fetchedSlots(scheduler.between(2, 32))
            .fetchedBytes(1_024)
            .build();
    return new Settings(options.policy(), alpha, timing, bounds);
  }

  /**
   * The coin of production, another common one, or one of each replica: safety depends on none of
   * them (C10).
   */
  Coin coin(NodeId node) {
    return switch (coins) {
      case 0, 1 -> Coin.COMMON;
      case 2 -> coin(coinSalt);
      default -> coin(coinSalt ^ node.hashCode());
    };
  }

  private static Coin coin(long salt) {
    return (at, phase) -> new SplittableRandom(salt ^ (at.index() << 8) ^ phase).nextBoolean();
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Network network() {
    return network;
  }

  Settings settings() {
    return settings;
  }

  Mutation mutation() {
    return options.mutation();
  }

  Invariants invariants() {
    return invariants;
  }

  Collection<SimulatedNode> nodes() {
    return nodes.values();
  }

  Optional<SimulatedNode> node(NodeId id) {
    return Optional.ofNullable(nodes.get(id));
  }

  /** The members to which a client sends requests, by a configuration that may be outdated. */
  List<NodeId> members() {
    Configuration known = scheduler.chance(0.3) ? invariants.previous() : invariants.latest();
    return known.members().stream().map(Member::node).toList();
  }

  Configuration latest() {
    return invariants.latest();
  }

  /** The number of replicas to which a reader sends its first requests. */
  int quorum() {
    return invariants.latest().faults() + 1;
  }

  int freshValue() {
    return nextValue++;
  }

  long thinkTime() {
    return 4_000_000;
  }

  long fsyncDelay(boolean slow) {
    long delay = scheduler.between(fsyncMin, fsyncMax);
    return slow ? delay * 30 : delay;
  }

  long executionDelay(boolean slow) {
    return slow || slowExecution ? scheduler.between(0L, slow ? 2_000_000L : 400_000L) : 0;
  }

  void snapshotInstalled() {
    coverage.add("snapshots installed", 1);
    note("snapshot installed");
  }

  /** The counts of this run. */
  Coverage coverage() {
    return coverage;
  }

  Member newMember() {
    NodeId id = new NodeId("n" + ++nextNode);
    return new Member(id, InetSocketAddress.createUnresolved(id.value(), 1));
  }

  /** Adds a node, in place of a former one with the same id. */
  SimulatedNode add(NodeId id, Checkpoint initial, long firstEpoch) {
    SimulatedNode node = new SimulatedNode(this, id, initial, firstEpoch);
    nodes.put(id, node);
    return node;
  }

  void note(String event) {
    if (trace != null) {
      trace.accept(scheduler.now() / 1000 + " us " + event);
    }
  }

  void transmit(NodeId from, NodeId to, Message message) {
    if (trace != null) {
      note(from + " -> " + to + " " + message);
    }
    network.send(
        from,
        to,
        () -> {
          SimulatedNode node = nodes.get(to);
          if (node != null) {
            node.step(new Input.Received(from, message));
          }
        });
  }

  /** Checks the counters of a node after each of its steps. */
  void check(SimulatedNode node) {
    Counters counters = node.replica().counters();
    Violation.require(
        counters.conflicts() == 0, "(2)", () -> node.id() + " received contradicting messages");
    Violation.require(
        counters.coinsWithoutCandidate() == 0,
        "(4)",
        () -> node.id() + " has a coin of one without a candidate");
  }

  /**
   * Runs the simulation to its end.
   *
   * @throws Violation if an invariant does not hold
   */
  void run() {
    nodes().forEach(SimulatedNode::start);
    clients.forEach(SimulatedClient::start);
    Faults faults = new Faults(this, options);
    if (options.faults()) {
      faults.begin(FAULTS_END);
      runUntil(FAULTS_END, () -> false);
      faults.end();
      note("faults have ended");
    }
    finish("all operations of clients", () -> clients.stream().allMatch(SimulatedClient::isIdle));
    clients.forEach(SimulatedClient::readAll);
    finish("all final reads (15)", () -> clients.stream().allMatch(SimulatedClient::isIdle));
    finish("equal states of all replicas (12)", this::isSettled);
    nodes().stream()
        .filter(SimulatedNode::isUp)
        .forEach(node -> invariants.checkEffects(node.machine()));
    histories.forEach(RegisterHistory::check);
    nodes().stream().filter(SimulatedNode::isUp).forEach(SimulatedNode::countCoverage);
    coverage.add("configurations", invariants.configurations());
    coverage.add("highest phase", invariants.highestPhase());
    coverage.add("runs", 1);
  }

  private void finish(String what, BooleanSupplier done) {
    runUntil(scheduler.now() + FINISH_TIMEOUT, done);
    Violation.require(
        done.getAsBoolean(), "(12)", () -> "not within " + FINISH_TIMEOUT + " ns: " + what);
  }

  private void runUntil(long end, BooleanSupplier done) {
    while (!done.getAsBoolean() && scheduler.runNext(end)) {
      // The event has been run.
    }
  }

  private boolean isSettled() {
    Position highest = Position.NONE;
    Position lowest = null;
    for (SimulatedNode node : nodes()) {
      if (node.isUp() && latest().contains(node.id())) {
        Position at = node.replica().executed();
        highest = at.compareTo(highest) > 0 ? at : highest;
        lowest = lowest == null || at.compareTo(lowest) < 0 ? at : lowest;
      }
    }
    return highest.equals(lowest == null ? Position.NONE : lowest)
        && highest.index() >= latest().start() - 1;
  }
}
