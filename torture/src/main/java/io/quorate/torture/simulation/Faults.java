package io.quorate.torture.simulation;

import io.quorate.consensus.Member;
import io.quorate.model.NodeId;
import io.quorate.rabia.core.step.Input;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The faults of a run, at random times. */
final class Faults {
  private final Simulation simulation;
  private final SimulationOptions options;
  private final Scheduler scheduler;
  private boolean over;
  private int lostDisks;
  private int additions;

  /** The number of the last configuration change that was requested. */
  private int changes;

  /** Members that healthy changes have removed, and that may return without their state. */
  private final List<Member> departed = new ArrayList<>();

  /** The members of a requested configuration change that is not in force yet, or null. */
  private List<Member> requested;

  Faults(Simulation simulation, SimulationOptions options) {
    this.simulation = simulation;
    this.options = options;
    this.scheduler = simulation.scheduler();
  }

  void begin(long until) {
    Network network = simulation.network();
    network.tail = scheduler.chance(0.7) ? 0.02 : 0;
    network.loss = scheduler.chance(0.5) ? 0.02 : 0;
    network.repetition = scheduler.chance(0.5) ? 0.05 : 0;
    network.delayMax = scheduler.between(60_000L, 600_000L);
    scheduleNext();
    flushLater();
  }

  private void scheduleNext() {
    scheduler.in(scheduler.between(500_000L, 12_000_000L), this::next);
  }

  private void next() {
    if (!over) {
      injectOne();
      scheduleNext();
    }
  }

  /** Flushes random state machines until the end of the run, so that logs are truncated. */
  private void flushLater() {
    scheduler.in(
        scheduler.between(1_000_000L, 10_000_000L),
        () -> {
          any(up()).flush();
          flushLater();
        });
  }

  private void injectOne() {
    switch (scheduler.between(0, 13)) {
      case 0, 1, 2 -> crash(any(up()));
      case 3, 4, 5 -> down().stream().findFirst().ifPresent(this::start);
      case 6 -> crashAll();
      case 7 -> cutSome();
      case 8 -> heal();
      case 9 -> simulation.network().loss = 0.2;
      case 10 -> degrade(any(up()));
      default -> reconfigure();
    }
  }

  private SimulatedNode any(List<SimulatedNode> nodes) {
    if (nodes.isEmpty()) {
      start(down().get(0));
      return any(up());
    }
    return nodes.get(scheduler.between(0, nodes.size() - 1));
  }

  private List<SimulatedNode> up() {
    return simulation.nodes().stream().filter(SimulatedNode::isUp).toList();
  }

  private List<SimulatedNode> down() {
    return simulation.nodes().stream().filter(n -> !n.isUp() && !n.isLost()).toList();
  }

  private void crash(SimulatedNode node) {
    simulation.note("crash " + node.id());
    node.crash();
    scheduler.in(
        scheduler.between(500_000L, 20_000_000L),
        () -> {
          if (!over && !node.isUp() && !node.isLost()) {
            start(node);
          }
        });
  }

  private void start(SimulatedNode node) {
    simulation.note("start " + node.id());
    node.start();
    for (SimulatedNode other : up()) {
      if (other != node) {
        other.step(new Input.Connected(node.id()));
      }
    }
  }

  private void crashAll() {
    up().forEach(this::crash);
  }

  private void cutSome() {
    List<NodeId> ids = simulation.nodes().stream().map(SimulatedNode::id).toList();
    for (NodeId from : ids) {
      for (NodeId to : ids) {
        if (scheduler.chance(0.25)) {
          simulation.network().cut(from, to);
        }
      }
    }
    simulation.note("links cut");
  }

  private void degrade(SimulatedNode node) {
    switch (scheduler.between(0, 5)) {
      case 5 -> node.hangDisk();
      case 4 -> node.hangStateMachine();
      case 3 -> node.pause(scheduler.between(1_000_000L, 30_000_000L));
      case 0 -> node.setSlow(true);
      case 1 -> simulation.network().slow(node.id());
      default -> node.jumpClock(scheduler.between(1_000_000L, 10_000_000_000L));
    }
  }

  /**
   * Requests one configuration change at a time: a replacement of a lost disk or of a healthy
   * member, or an additional member.
   */
  private void reconfigure() {
    if (!options.reconfigurations() || options.policy() == null || requested != null) {
      return;
    }
    Configuration latest = simulation.latest();
    changes++;
    List<Member> members = new ArrayList<>(latest.members());
    boolean replace =
        lostDisks < Math.min(1, simulation.invariants().faultsTolerated()) && scheduler.chance(0.7);
    if (replace) {
      lostDisks++;
      Member victim = members.get(scheduler.between(0, members.size() - 1));
      simulation.note("lose the disk of " + victim.node());
      simulation.node(victim.node()).ifPresent(SimulatedNode::lose);
      members.remove(victim);
    } else if (additions++ > 3 || members.size() >= Configuration.MEMBERS_MAX) {
      return;
    } else if (scheduler.chance(0.6)) {
      // A healthy member is removed, and considers itself a member until it executes the change.
      departed.add(members.remove(scheduler.between(0, members.size() - 1)));
    }
    List<Member> contacts = replace ? List.copyOf(members) : latest.members();
    Member joiner = returning(latest).orElseGet(simulation::newMember);
    members.add(scheduler.between(0, members.size()), joiner);
    simulation
        .add(
            joiner.node(),
            Checkpoint.initial(new Configuration(0, 0, contacts)),
            Configuration.firstEpoch(changes))
        .start();
    requested = members;
    propose(latest.epoch());
  }

  /**
   * A former member, whose replica is removed. It may return once the change by which it left is
   * complete: a quorum of the latest members has executed all slots before.
   */
  private Optional<Member> returning(Configuration latest) {
    long holding =
        up().stream()
            .filter(node -> latest.contains(node.id()))
            .filter(node -> node.replica().executed().index() >= latest.start() - 1)
            .count();
    List<Member> away =
        departed.stream().filter(member -> !latest.contains(member.node())).toList();
    if (away.isEmpty() || holding < latest.quorum() || !scheduler.chance(0.7)) {
      return Optional.empty();
    }
    Member member = away.get(scheduler.between(0, away.size() - 1));
    simulation.note("remove the replica of " + member.node() + ", which returns");
    simulation.coverage().add("returned replicas", 1);
    simulation.node(member.node()).ifPresent(SimulatedNode::lose);
    return Optional.of(member);
  }

  /** Requests the change repeatedly until it is in force. */
  private void propose(long epoch) {
    if (simulation.latest().epoch() > epoch) {
      requested = null;
      return;
    }
    List<SimulatedNode> candidates = up().stream().filter(n -> latestContains(n.id())).toList();
    if (!candidates.isEmpty()) {
      simulation.note("reconfigure to " + requested);
      candidates
          .get(scheduler.between(0, candidates.size() - 1))
          .step(new Input.Reconfigure(requested, changes));
    }
    scheduler.in(10_000_000, () -> propose(epoch));
  }

  private boolean latestContains(NodeId id) {
    return simulation.latest().contains(id);
  }

  private void heal() {
    simulation.network().heal();
    simulation.nodes().forEach(SimulatedNode::heal);
  }

  /** Ends all faults. At most as many members as the group tolerates stay down (12). */
  void end() {
    over = true;
    heal();
    int downMax = requested == null ? simulation.invariants().faultsTolerated() - lostDisks : 0;
    int stayingDown = downMax > 0 ? scheduler.between(0, downMax) : 0;
    for (SimulatedNode node : List.copyOf(simulation.nodes())) {
      if (stayingDown > 0 && !node.isLost() && scheduler.chance(0.5)) {
        stayingDown--;
        simulation.note(node.id() + " stays down");
        if (node.isUp()) {
          node.crash();
        }
      } else if (!node.isUp() && !node.isLost()) {
        start(node);
      }
    }
  }
}
