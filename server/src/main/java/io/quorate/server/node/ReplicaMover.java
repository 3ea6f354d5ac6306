package io.quorate.server.node;

import io.quorate.common.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.GroupStatus;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the members of the regions for which a move is planned, where this node's replica serves.
 * Whatever interrupts a change, the next run of whichever replica serves then continues it. Run
 * every second, by one thread.
 */
final class ReplicaMover implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaMover.class);

  /** Without leaders, each replica waits so many runs longer than the one before it in the list. */
  private static final int RUNS_PER_REPLICA = 10;

  private final ClusterTopology topology;
  private final Set<GroupId> changing = ConcurrentHashMap.newKeySet();
  private final Map<GroupId, Integer> runs = new HashMap<>();

  ReplicaMover(ClusterTopology topology) {
    this.topology = topology;
  }

  @Override
  public void run() {
    for (LocalReplica replica : topology.hosted()) {
      RegionAssignment region = replica.assignment();
      if (isToChange(replica)) {
        if (isTurn(region)) {
          change(replica);
        }
      } else {
        runs.remove(region.id());
      }
    }
  }

  private static boolean isToChange(LocalReplica replica) {
    if (replica.assignment().move().isEmpty()) {
      return false;
    }
    GroupStatus view = replica.group().view();
    return view.serving()
        && !nodes(view).equals(new HashSet<>(replica.assignment().replicasAfterMove()));
  }

  private static Set<NodeId> nodes(GroupStatus view) {
    return new HashSet<>(view.members().stream().map(Member::node).toList());
  }

  /**
   * With leaders only one replica serves. Without, the replicas that stay take turns, and then the
   * one that leaves.
   */
  private boolean isTurn(RegionAssignment region) {
    int waited = runs.merge(region.id(), 1, Integer::sum);
    List<NodeId> staying =
        region.replicas().stream().filter(region.replicasAfterMove()::contains).toList();
    int order = staying.indexOf(topology.self());
    int others = order >= 0 ? order : staying.size();
    return topology.service().leadersOnly() || waited > others * RUNS_PER_REPLICA;
  }

  private void change(LocalReplica replica) {
    RegionAssignment region = replica.assignment();
    Optional<Membership> membership = replica.group().control(Membership.class);
    List<Member> members = topology.members(region.replicasAfterMove());
    if (membership.isEmpty()
        || members.size() != region.replicas().size()
        || !changing.add(region.id())) {
      return;
    }
    LOG.atInfo()
        .addKeyValue("region", region.id())
        .addKeyValue("members", region.replicasAfterMove())
        .log("Changing the members of a region");
    membership
        .get()
        .change(members)
        .whenComplete(
            (done, failure) -> {
              changing.remove(region.id());
              if (failure != null) {
                LOG.atInfo()
                    .addKeyValue("region", region.id())
                    .addKeyValue("error", Failures.unwrap(failure).getMessage())
                    .log("The members of a region are not changed yet; the change is repeated");
              }
            });
  }
}
