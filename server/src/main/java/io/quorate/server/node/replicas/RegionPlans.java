package io.quorate.server.node.replicas;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.Failures;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.Command;
import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.node.bodies.BodyCopier;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RegionAssignment;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Carries out what is planned for the regions that this node's replicas serve: changes of members,
 * splits, and merges. Whatever interrupts that, the next run of whichever replica serves then
 * repeats it. Run by one thread; {@link #confirmed} and {@link #problem} by any.
 *
 * <p>A change is requested also where the group has the wanted members already. Its success shows
 * that no other change is in progress, which may still have been one of a former plan. A split that
 * is in force already has no effect when it is proposed again.
 */
public final class RegionPlans implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(RegionPlans.class);

  /** Without leaders, each replica waits so many runs longer than the one before it in the list. */
  private static final int RUNS_PER_REPLICA = 25;

  private final ClusterTopology topology;
  private final RegionMerges merges;
  private final Optional<BodyCopier> copier;
  private final BiFunction<ClusterNode, GroupId, CompletionStage<Optional<RegionEpoch>>> epochs;
  private final BiFunction<GroupId, RegionEpoch, CompletionStage<Boolean>> confirmation;

  /** The plans that are being carried out. A later plan for a region does not wait for a former. */
  private final Map<GroupId, RegionEpoch> inProgress = new ConcurrentHashMap<>();

  private final Map<GroupId, RegionEpoch> confirmed = new ConcurrentHashMap<>();
  private final Map<GroupId, Integer> runs = new HashMap<>();

  /** Why plans were not carried out when that was attempted last. */
  private final Map<GroupId, String> reasons = new ConcurrentHashMap<>();

  /**
   * @param copier prepares changes of members, if values may be bodies
   * @param epochs requests the epoch in which a node has a replica of a region open; must not block
   * @param confirmation requests from region 0 whether an epoch of a region is the present one;
   *     must not block
   */
  public RegionPlans(
      ClusterTopology topology,
      Optional<BodyCopier> copier,
      BiFunction<ClusterNode, GroupId, CompletionStage<Optional<RegionEpoch>>> epochs,
      BiFunction<GroupId, RegionEpoch, CompletionStage<Boolean>> confirmation) {
    this.topology = topology;
    this.merges = new RegionMerges(topology);
    this.copier = copier;
    this.epochs = epochs;
    this.confirmation = confirmation;
  }

  /** The epoch of the last plan for a region that this node has carried out. */
  public Optional<RegionEpoch> confirmed(GroupId region) {
    return Optional.ofNullable(confirmed.get(region));
  }

  /** Why this node could not carry out what is planned for a region when it last tried. */
  public Optional<String> problem(GroupId region) {
    return Optional.ofNullable(reasons.get(region));
  }

  @Override
  public void run() {
    confirmed.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    for (LocalReplica replica : topology.hosted()) {
      keepInUse(replica);
      // As it is stored: on this node, a split may be in force already.
      Optional<RegionAssignment> planned =
          topology
              .stored()
              .flatMap(stored -> stored.assignment(replica.assignment().id()))
              .filter(region -> isToCarryOut(region, replica));
      if (planned.isEmpty()) {
        runs.remove(replica.assignment().id());
        reasons.remove(replica.assignment().id());
      } else if (isTurn(planned.get())) {
        carryOut(planned.get(), replica);
      }
    }
  }

  /**
   * A group that hibernates cannot change, and must not begin to while a change is prepared, which
   * may take hours. To look up a control counts as a use.
   */
  private static void keepInUse(LocalReplica replica) {
    if (!replica.assignment().isStable()) {
      replica.group().control(Membership.class);
    }
  }

  private boolean isToCarryOut(RegionAssignment region, LocalReplica replica) {
    return !region.isStable()
        && replica.group().view().serving()
        && !confirmed(region.id()).equals(Optional.of(region.epoch()));
  }

  /**
   * With leaders only one replica serves. Without, the replicas that stay take turns, and then the
   * one that leaves.
   */
  private boolean isTurn(RegionAssignment region) {
    int waited = runs.merge(region.id(), 1, Integer::sum);
    List<NodeId> staying =
        region.replicas().stream().filter(region.replicasAfterChange()::contains).toList();
    int order = staying.indexOf(topology.self());
    int others = order >= 0 ? order : staying.size();
    return topology.service().leadersOnly() || waited > others * RUNS_PER_REPLICA;
  }

  private void carryOut(RegionAssignment region, LocalReplica replica) {
    if (region.epoch().equals(inProgress.put(region.id(), region.epoch()))) {
      return;
    }
    step(region, replica)
        .whenComplete(
            (ignored, failure) -> {
              if (failure == null && region.epoch().equals(inProgress.get(region.id()))) {
                ReplicaPoints.CARRIED_OUT.passed(region.id());
                confirmed.put(region.id(), region.epoch());
                reasons.remove(region.id());
              } else if (failure != null) {
                log(region.id(), String.valueOf(Failures.unwrap(failure).getMessage()));
              }
              inProgress.remove(region.id(), region.epoch());
            });
  }

  private CompletionStage<Void> step(RegionAssignment region, LocalReplica replica) {
    if (region.split().isPresent()) {
      return split(region.split().get(), replica);
    }
    try {
      return region.merge().isPresent()
          ? merges.carryOut(region.merge().get(), replica, runs.get(region.id()))
          : changeMembers(region, replica);
    } catch (UncheckedIOException e) {
      // For example while a snapshot is installed; the next attempt may succeed.
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Logs why a plan is not carried out, once as long as the reason is the same. */
  private void log(GroupId region, String reason) {
    boolean isNew = !reason.equals(reasons.put(region, reason));
    LOG.atLevel(isNew ? Level.INFO : Level.DEBUG)
        .addKeyValue("region", region)
        .addKeyValue("error", reason)
        .log("What is planned for a region is not done yet, and is repeated");
  }

  private CompletionStage<Void> changeMembers(RegionAssignment region, LocalReplica replica) {
    GroupStatus view = replica.group().view();
    List<NodeId> present = view.members().stream().map(Member::node).toList();
    List<NodeId> wanted = region.wanted(present);
    List<Member> members = topology.members(wanted);
    Optional<Membership> membership = replica.group().control(Membership.class);
    if (membership.isEmpty() || members.size() != wanted.size()) {
      return CompletableFuture.failedFuture(
          new ConsensusException.Unavailable("The addresses of the members are not known."));
    }
    // Before the checks: in this epoch of the group, nobody else changes its members.
    long epoch = view.epoch();
    return requireReceiver(region, present)
        .thenCompose(
            open -> {
              LOG.atInfo()
                  .addKeyValue("region", region.id())
                  .addKeyValue("members", wanted)
                  .log("Changing the members of a region");
              return prepare(replica, wanted);
            })
        .thenCompose(ready -> requirePlanned(region))
        .thenCompose(
            planned ->
                region.epoch().equals(inProgress.get(region.id()))
                    ? membership.get().change(members, epoch, region.epoch().value())
                    : CompletableFuture.failedFuture(
                        new ConsensusException.Unavailable("A later plan is carried out.")));
  }

  /**
   * Requires that the plan is the present one. This node may know the topology of a moment ago, or
   * of long ago after a restart. The plan may have been withdrawn since, or be done and undone: its
   * receiver, which may know as little, would become a member, and remove its replica as soon as it
   * receives the present topology.
   */
  private CompletionStage<Void> requirePlanned(RegionAssignment region) {
    return confirmation
        .apply(region.id(), region.epoch())
        .thenAccept(
            isPlanned -> {
              if (!isPlanned) {
                throw new ConsensusException.Unavailable("The topology has changed meanwhile.");
              }
            });
  }

  /**
   * Requires that a node which is to receive a replica has it open in the epoch of the plan, or a
   * later one. Until then the node may be about to remove a former replica of the region, because
   * of an earlier epoch. The group of that replica would acknowledge entries as a member, and lose
   * them with its log. A node that is a member already is not waited for: it may be down, and the
   * group then has a majority without it.
   */
  private CompletionStage<Void> requireReceiver(RegionAssignment region, List<NodeId> members) {
    Optional<NodeId> to = region.receiver();
    if (to.filter(node -> !members.contains(node)).isEmpty()) {
      return CompletableFuture.completedFuture(null);
    }
    return epochs
        .apply(topology.find(to.get()).orElseThrow(), region.id())
        .thenAccept(
            epoch -> {
              if (epoch.filter(open -> open.compareTo(region.epoch()) >= 0).isEmpty()) {
                throw new ConsensusException.Unavailable(
                    "Node " + to.get() + " has not opened the replica yet that it is to receive.");
              }
            });
  }

  /** A leader that leaves prepares nothing: it transfers the leadership instead of the change. */
  private CompletionStage<Void> prepare(LocalReplica replica, List<NodeId> wanted) {
    Optional<BodyReplication> bodies = replica.bodies();
    return bodies.isPresent() && wanted.contains(topology.self())
        ? copier.orElseThrow().prepare(replica, bodies.get(), wanted)
        : CompletableFuture.completedFuture(null);
  }

  private static CompletionStage<Void> split(PlannedSplit split, LocalReplica replica) {
    Operation operation = new Operation.Split(split.at(), split.child());
    LOG.atInfo()
        .addKeyValue("region", replica.assignment().id())
        .addKeyValue("at", split.at())
        .addKeyValue("child", split.child())
        .log("Splitting a region");
    return replica
        .group()
        .propose(new Command(new ClientCommand(RequestId.NONE, operation).encoded()))
        .thenAccept(
            outcome -> {
              Result result = Result.decode(outcome.result());
              if (!result.equals(Result.DONE)) {
                throw new ConsensusException.Unavailable("The region does not split: " + result);
              }
            });
  }
}
