package io.quorate.ratis.schedule;

import io.quorate.model.NodeId;
import io.quorate.ratis.schedule.Fault.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/** Injects one fault and ends it, on a thread of its own. */
final class Injection implements Runnable {
  private final ScheduleCluster cluster;
  private final FaultPoints points;
  private final Fault fault;
  private final List<String> problems;

  Injection(ScheduleCluster cluster, Fault fault, List<String> problems) {
    this.cluster = cluster;
    this.points = cluster.faults();
    this.fault = fault;
    this.problems = problems;
  }

  @Override
  public void run() {
    try {
      TimeUnit.MILLISECONDS.sleep(fault.atMillis());
      inject(target());
    } catch (InterruptedException | RuntimeException e) {
      problems.add(fault + " could not be injected: " + e);
    }
  }

  /** The leader for the steps of leaders, another node for those of followers. */
  private ScheduleNode target() {
    ScheduleNode drawn = cluster.nodes().get(fault.node());
    Optional<ScheduleNode> leader = cluster.leader();
    boolean isAtStep = fault.kind() == Kind.KILL_AT_STEP || fault.kind() == Kind.STALL_AT_STEP;
    boolean isAtLeader = isAtStep ? points.leaderSteps().contains(fault.step()) : fault.atLeader();
    if (leader.isEmpty()) {
      return drawn;
    }
    return isAtLeader && fault.kind() != Kind.TRANSFER ? leader.get() : other(drawn, leader.get());
  }

  private ScheduleNode other(ScheduleNode drawn, ScheduleNode than) {
    List<ScheduleNode> nodes = cluster.nodes();
    return drawn == than ? nodes.get((fault.node() + 1) % nodes.size()) : drawn;
  }

  private void inject(ScheduleNode target) throws InterruptedException {
    NodeId id = target.id();
    switch (fault.kind()) {
      case KILL -> killFor(target);
      case KILL_AT_STEP -> {
        points.trap(id, fault.step()).await(fault.millis(), TimeUnit.MILLISECONDS);
        killFor(target);
      }
      case PAUSE -> lasting(() -> points.pause(id), () -> points.resume(id));
      case STALL_AT_STEP ->
          lasting(() -> points.stall(id, fault.step()), () -> points.unstall(id, fault.step()));
      case PARTITION -> {
        List<ScheduleNode> minority = minority(target);
        lasting(() -> cluster.partition(minority), () -> cluster.reunite(minority));
      }
      case MUTE -> lasting(() -> others(id).forEach(to -> points.cut(id, to)), () -> heard(id));
      case DEAF -> lasting(() -> others(id).forEach(to -> points.cut(to, id)), () -> heard(id));
      case SLOW_BODIES ->
          lasting(() -> target.delayBodies(fault.syncMillis()), () -> target.delayBodies(0));
      case SLOW_LOG ->
          lasting(() -> points.slowSyncs(id, fault.syncMillis()), () -> points.slowSyncs(id, 0));
      case TRANSFER -> cluster.transfer(id);
    }
  }

  private void lasting(Runnable begin, Runnable end) throws InterruptedException {
    begin.run();
    TimeUnit.MILLISECONDS.sleep(fault.millis());
    end.run();
  }

  private void heard(NodeId node) {
    for (NodeId other : others(node)) {
      points.restore(node, other);
      points.restore(other, node);
    }
  }

  private List<NodeId> others(NodeId node) {
    return cluster.nodes().stream()
        .map(ScheduleNode::id)
        .filter(other -> !other.equals(node))
        .toList();
  }

  /** One killer at a time: a node that another fault has killed stays as it is. */
  private void killFor(ScheduleNode target) throws InterruptedException {
    synchronized (target) {
      if (target.running().isEmpty()) {
        return;
      }
      target.kill();
      TimeUnit.MILLISECONDS.sleep(fault.millis() / 2);
      target.start();
    }
  }

  private List<ScheduleNode> minority(ScheduleNode with) {
    Random random = new Random(fault.millis());
    int size = 1 + random.nextInt(cluster.failuresMax());
    List<ScheduleNode> minority = new ArrayList<>(List.of(with));
    for (ScheduleNode node : cluster.nodes()) {
      if (minority.size() < size && node != with) {
        minority.add(node);
      }
    }
    return minority;
  }
}
