package io.quorate.rabia.simulation;

import io.quorate.consensus.Member;
import io.quorate.consensus.NodeId;
import io.quorate.rabia.core.Input;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import java.util.ArrayList;
import java.util.List;

/** What goes wrong in a run, and when. */
final class Faults {
  private final Simulation simulation;
  private final SimulationOptions options;
  private final Scheduler scheduler;
  private boolean over;
  private int lostDisks;
  private int additions;

  /** The members that are wanted and not yet agreed on, or null. */
  private List<Member> wanted;

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
    later();
    flushLater();
  }

  private void later() {
    scheduler.in(scheduler.between(500_000L, 12_000_000L), this::next);
  }

  private void next() {
    if (!over) {
      one();
      later();
    }
  }

  /** State machines become durable, and logs shorter, all the time. */
  private void flushLater() {
    scheduler.in(
        scheduler.between(1_000_000L, 10_000_000L),
        () -> {
          any(up()).flush();
          flushLater();
        });
  }

  private void one() {
    switch (scheduler.between(0, 11)) {
      case 0, 1, 2 -> crash(any(up()));
      case 3, 4, 5 -> down().stream().findFirst().ifPresent(this::start);
      case 6 -> crashAll();
      case 7 -> cutSome();
      case 8 -> heal();
      case 9 -> simulation.network().loss = 0.2;
      case 10 -> makeSick(any(up()));
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

  private void makeSick(SimulatedNode node) {
    switch (scheduler.between(0, 5)) {
      case 5 -> node.hangDisk();
      case 4 -> node.hangStateMachine();
      case 3 -> node.pause(scheduler.between(1_000_000L, 30_000_000L));
      case 0 -> node.setSlow(true);
      case 1 -> simulation.network().slow(node.id());
      default -> node.jumpClock(scheduler.between(1_000_000L, 10_000_000_000L));
    }
  }

  /** One change at a time: a lost disk's replacement, or one member more. */
  private void reconfigure() {
    if (!options.reconfigurations() || options.policy() == null || wanted != null) {
      return;
    }
    Configuration latest = simulation.latest();
    List<Member> members = new ArrayList<>(latest.members());
    boolean replace =
        lostDisks < Math.min(1, simulation.invariants().faultsTolerated()) && scheduler.chance(0.7);
    if (replace) {
      lostDisks++;
      Member victim = members.get(scheduler.between(0, members.size() - 1));
      simulation.note("lose the disk of " + victim.node());
      simulation.node(victim.node()).ifPresent(SimulatedNode::lose);
      members.remove(victim);
    } else if (additions++ > 1 || members.size() >= Configuration.MEMBERS_MAX) {
      return;
    } else if (scheduler.chance(0.6)) {
      // One that is well leaves, and goes on believing for a while that it belongs.
      members.remove(scheduler.between(0, members.size() - 1));
    }
    List<Member> contacts = replace ? List.copyOf(members) : latest.members();
    Member joiner = simulation.newMember();
    members.add(scheduler.between(0, members.size()), joiner);
    simulation.add(joiner.node(), Checkpoint.initial(new Configuration(0, 0, contacts))).start();
    wanted = members;
    propose(latest.epoch());
  }

  /** Again and again until it is in force. */
  private void propose(long epoch) {
    if (simulation.latest().epoch() > epoch) {
      wanted = null;
      return;
    }
    List<SimulatedNode> able = up().stream().filter(n -> latestContains(n.id())).toList();
    if (!able.isEmpty()) {
      simulation.note("reconfigure to " + wanted);
      able.get(scheduler.between(0, able.size() - 1)).step(new Input.Reconfigure(wanted));
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

  /** Everything is well again, but perhaps for a member that stays away (12). */
  void end() {
    over = true;
    heal();
    int mayStayAway = wanted == null ? simulation.invariants().faultsTolerated() - lostDisks : 0;
    int away = mayStayAway > 0 ? scheduler.between(0, mayStayAway) : 0;
    for (SimulatedNode node : List.copyOf(simulation.nodes())) {
      if (away > 0 && !node.isLost() && scheduler.chance(0.5)) {
        away--;
        simulation.note(node.id() + " stays away");
        if (node.isUp()) {
          node.crash();
        }
      } else if (!node.isUp() && !node.isLost()) {
        start(node);
      }
    }
  }
}
