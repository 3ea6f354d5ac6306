package io.quorate.rabia.simulation;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.core.Coin;
import io.quorate.rabia.core.Counters;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.core.Mutation;
import io.quorate.rabia.core.Settings;
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

/** One run. */
final class Simulation {
  /** Takes the answer to a read behind a barrier. */
  interface BarrierReply {
    void answer(long latestEpoch, Position at, int value);
  }

  private static final long FAULTS_END = 90_000_000;
  private static final long DONE_WITHIN = 3_000_000_000L;

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
   * @param trace told of everything that happens; null for nobody
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
      add(member.node(), Checkpoint.initial(first));
    }
    for (int i = 0; i < options.keys(); i++) {
      histories.add(new RegisterHistory());
    }
    for (int i = 0; i < options.clients(); i++) {
      clients.add(new SimulatedClient(this, i, options.operations(), histories));
    }
  }

  /** Bounds so small that all of them are met. */
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

  /** That of production, another common one, or one of each replica: safety needs none of them. */
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

  /** Whom a client turns to, who may not have heard of the latest change. */
  List<NodeId> members() {
    Configuration known = scheduler.chance(0.3) ? invariants.previous() : invariants.latest();
    return known.members().stream().map(Member::node).toList();
  }

  Configuration latest() {
    return invariants.latest();
  }

  /** How many shares a reader asks for at first. */
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

  void installed() {
    coverage.add("snapshots installed", 1);
    note("snapshot installed");
  }

  /** What this run came across. */
  Coverage coverage() {
    return coverage;
  }

  Member newMember() {
    NodeId id = new NodeId("n" + ++nextNode);
    return new Member(id, InetSocketAddress.createUnresolved(id.value(), 1));
  }

  SimulatedNode add(NodeId id, Checkpoint initial) {
    SimulatedNode node = new SimulatedNode(this, id, initial);
    nodes.put(id, node);
    return node;
  }

  void note(String what) {
    if (trace != null) {
      trace.accept(scheduler.now() / 1000 + " us " + what);
    }
  }

  void transmit(NodeId from, NodeId to, Message message) {
    if (trace != null) {
      note(from + " -> " + to + " " + message);
    }
    network.carry(
        from,
        to,
        () -> {
          SimulatedNode node = nodes.get(to);
          if (node != null) {
            node.step(new Input.Received(from, message));
          }
        });
  }

  /** After every step of a node. */
  void check(SimulatedNode node) {
    Counters counters = node.replica().counters();
    Violation.require(counters.conflicts() == 0, "(2)", () -> node.id() + " has heard both");
    Violation.require(
        counters.coinsWithoutCandidate() == 0,
        "(4)",
        () -> node.id() + " tossed without a candidate");
  }

  /**
   * Runs it.
   *
   * @throws Violation if something that must hold does not
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
    finish("the clients", () -> clients.stream().allMatch(SimulatedClient::isIdle));
    clients.forEach(SimulatedClient::readAll);
    finish("the last reads (15)", () -> clients.stream().allMatch(SimulatedClient::isIdle));
    finish("replicas of one state (12)", this::isSettled);
    nodes().stream()
        .filter(SimulatedNode::isUp)
        .forEach(node -> invariants.containsAcknowledged(node.machine()));
    for (int key = 0; key < histories.size(); key++) {
      histories.get(key).check(key);
    }
    nodes().stream().filter(SimulatedNode::isUp).forEach(SimulatedNode::countCoverage);
    coverage.add("configurations", latest().epoch());
    coverage.add("highest phase", invariants.highestPhase());
    coverage.add("runs", 1);
  }

  private void finish(String what, BooleanSupplier done) {
    runUntil(scheduler.now() + DONE_WITHIN, done);
    Violation.require(
        done.getAsBoolean(), "(12)", () -> "not within " + DONE_WITHIN + " ns: " + what);
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
