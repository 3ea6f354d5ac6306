package io.quorate.server.node.moves;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.consensus.Membership;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * One region whose replicas move between four nodes, in a random schedule: what region 0 stores,
 * nodes that know it late, crash and restart with an older topology, and a group that changes its
 * members as an engine does. Without logs: a replica has a number of entries.
 */
final class MoveModel {
  private static final int NODES = 4;
  private static final int STEPS = 400;
  private static final int STEPS_TO_SETTLE = 200;

  static final class Violation extends RuntimeException {
    private static final long serialVersionUID = 1;

    Violation(String message) {
      super(message);
    }
  }

  /** A change of members that a leader has requested and that is not in force. */
  private record Pending(RegionEpoch epoch, List<NodeId> members) {}

  private final Random random;
  private final Optional<MoveMutation> mutation;
  private final List<ModelNode> nodes;

  /** The assignments that were stored, in their order. */
  private final List<RegionAssignment> stored = new ArrayList<>();

  private List<NodeId> members;
  private int committed;
  private Optional<ModelNode> leader = Optional.empty();

  /** What each node has requested while it led. */
  private final Map<ModelNode, Pending> pending = new HashMap<>();

  private Optional<RegionEpoch> confirmed = Optional.empty();

  MoveModel(long seed, Optional<MoveMutation> mutation) {
    this.random = new Random(seed);
    this.mutation = mutation;
    this.nodes =
        IntStream.rangeClosed(1, NODES)
            .mapToObj(i -> new ModelNode(new NodeId("n" + i), mutation))
            .toList();
    this.members = nodes.subList(0, 3).stream().map(node -> node.id).toList();
    stored.add(new RegionAssignment(new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, members));
    nodes.forEach(node -> node.follow(latest()));
  }

  /**
   * Runs the schedule, and then one without failures until everything is settled.
   *
   * @throws Violation if a rule is broken
   */
  void run() {
    for (int i = 0; i < STEPS; i++) {
      step();
      requireThatNothingIsLost();
    }
    for (int i = 0; i < STEPS_TO_SETTLE; i++) {
      nodes.forEach(this::learnAll);
      elect();
      request();
      change();
      confirm();
      requireThatNothingIsLost();
    }
    requireThatAllIsSettled();
  }

  private RegionAssignment latest() {
    return stored.get(stored.size() - 1);
  }

  private ModelNode node(NodeId id) {
    return nodes.stream().filter(node -> node.id.equals(id)).findFirst().orElseThrow();
  }

  private ModelNode anyNode() {
    return nodes.get(random.nextInt(NODES));
  }

  private void step() {
    switch (random.nextInt(16)) {
      case 0 -> plan();
      case 1 -> withdraw();
      case 2 -> crash(anyNode());
      case 3, 4 -> elect();
      case 5, 6 -> request();
      case 7, 8 -> change();
      case 9, 10 -> confirm();
      case 11 -> write();
      case 12 -> learn(anyNode());
      default -> {
        ModelNode node = anyNode();
        node.follow(stored.get(node.known));
      }
    }
  }

  private void learn(ModelNode node) {
    node.known += random.nextInt(stored.size() - node.known);
  }

  private void learnAll(ModelNode node) {
    node.known = stored.size() - 1;
    node.follow(latest());
  }

  private void plan() {
    NodeId node = anyNode().id;
    RegionAssignment region = latest();
    List<NodeId> replicas = region.replicas();
    if (!region.isStable() || region.isOn(node) && (replicas.size() < 3 || random.nextInt(8) > 0)) {
      return;
    }
    if (region.isOn(node)) {
      stored.add(region.planned(ReplicaChange.remove(node)));
    } else if (replicas.size() < 3) {
      stored.add(region.planned(ReplicaChange.add(node)));
    } else {
      NodeId from = replicas.get(random.nextInt(replicas.size()));
      stored.add(region.planned(ReplicaChange.move(from, node)));
    }
  }

  private void withdraw() {
    RegionAssignment region = latest();
    if (region.change().isPresent() && !region.isTakenBack()) {
      stored.add(
          breaks(MoveMutation.WITHDRAWAL_WITHOUT_PLAN)
              ? new RegionAssignment(
                  region.id(), region.range(), region.epoch().next(), region.replicas())
              : region.withdrawn());
    }
  }

  private void crash(ModelNode node) {
    node.crash(random.nextInt(stored.size()));
    pending.remove(node);
    if (leader.equals(Optional.of(node))) {
      depose();
    }
  }

  private void depose() {
    if (!breaks(MoveMutation.CHANGE_IN_LATER_EPOCH)) {
      leader.ifPresent(pending::remove);
    }
    leader = Optional.empty();
    confirmed = Optional.empty();
  }

  /** An open member with all entries leads from now on. */
  private void elect() {
    List<ModelNode> able =
        new ArrayList<>(openMembers().stream().filter(node -> node.has(committed)).toList());
    Collections.shuffle(able, random);
    if (hasMajority(members, openMembers()) && !able.isEmpty()) {
      if (!leader.equals(Optional.of(able.get(0)))) {
        depose();
      }
      leader = Optional.of(able.get(0));
    }
  }

  private List<ModelNode> openMembers() {
    return members.stream().map(this::node).filter(node -> node.isOpen).toList();
  }

  private static boolean hasMajority(List<NodeId> of, List<ModelNode> among) {
    long present = among.stream().filter(node -> of.contains(node.id)).count();
    return 2 * present > of.size();
  }

  /** The leader requests what is planned, as far as it knows. */
  private void request() {
    Optional<RegionAssignment> plan =
        leader
            .filter(node -> node.isOpen)
            .map(node -> stored.get(node.known))
            .filter(region -> !region.isStable());
    if (plan.isPresent() && mayRequest(plan.get())) {
      pending.put(leader.get(), new Pending(plan.get().epoch(), plan.get().wanted(members)));
    }
  }

  private boolean mayRequest(RegionAssignment plan) {
    if (!plan.epoch().equals(latest().epoch()) && !breaks(MoveMutation.PLAN_WITHOUT_CONFIRMATION)) {
      return false;
    }
    Optional<NodeId> to = plan.receiver();
    if (to.isEmpty() || breaks(MoveMutation.RECEIVER_WITHOUT_PLAN)) {
      return true;
    }
    ModelNode receiver = node(to.get());
    return receiver.isOpen
        && receiver.record.filter(epoch -> epoch.compareTo(plan.epoch()) >= 0).isPresent();
  }

  /** The group changes its members: a majority of both has all entries, and the new member. */
  private void change() {
    Optional<Pending> requested = leader.map(pending::get);
    if (requested.isEmpty()) {
      return;
    }
    List<NodeId> next = requested.get().members();
    if (!new HashSet<>(next).equals(new HashSet<>(members))) {
      Set<ModelNode> open = new HashSet<>(openMembers());
      next.stream().map(this::node).filter(node -> node.isOpen).forEach(open::add);
      List<ModelNode> all = List.copyOf(open);
      boolean isReady = next.stream().allMatch(id -> members.contains(id) || node(id).isOpen);
      if (!Membership.isOneChange(members, next)
          || !isReady
          || !hasMajority(members, all)
          || !hasMajority(next, all)) {
        return;
      }
      all.forEach(node -> node.entries = committed);
      members = next;
    }
    confirmed = Optional.of(requested.get().epoch());
    pending.remove(leader.get());
    if (leader.filter(node -> members.contains(node.id)).isEmpty()) {
      // It reports the change before it ends.
      confirm();
      depose();
    }
  }

  private void confirm() {
    RegionAssignment region = latest();
    if (region.change().isPresent() && confirmed.equals(Optional.of(region.epoch()))) {
      stored.add(region.changed(members));
    }
  }

  private void write() {
    List<ModelNode> open = new ArrayList<>(openMembers());
    Collections.shuffle(open, random);
    if (leader.isPresent() && hasMajority(members, open)) {
      committed++;
      open.subList(0, members.size() / 2 + 1).forEach(node -> node.entries = committed);
    }
  }

  /** Every majority of the members has one that has every committed entry. */
  private void requireThatNothingIsLost() {
    long having = members.stream().filter(id -> node(id).has(committed)).count();
    if (having < members.size() - members.size() / 2) {
      throw new Violation(
          "Of %s, %d have all %d entries; stored %s"
              .formatted(members, having, committed, latest()));
    }
  }

  private void requireThatAllIsSettled() {
    RegionAssignment region = latest();
    if (!region.isStable() || !new HashSet<>(members).equals(new HashSet<>(region.replicas()))) {
      throw new Violation("The members are %s, and stored is %s".formatted(members, region));
    }
    for (ModelNode node : nodes) {
      if (region.isOn(node.id) != node.isOpen || region.isOn(node.id) == node.isEmpty()) {
        throw new Violation("Node %s has another replica than %s".formatted(node.id, region));
      }
    }
  }

  private boolean breaks(MoveMutation rule) {
    return mutation.equals(Optional.of(rule));
  }
}
