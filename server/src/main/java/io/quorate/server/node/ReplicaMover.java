package io.quorate.server.node;

import io.quorate.client.RegionEpoch;
import io.quorate.common.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Member;
import io.quorate.consensus.Membership;
import io.quorate.consensus.NodeId;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes the members of the regions for which a change of replicas is planned, where this node's
 * replica serves. Whatever interrupts a change, the next run of whichever replica serves then
 * repeats it. Run by one thread; {@link #confirmed} by any.
 *
 * <p>The change is requested also where the group has the wanted members already. Its success shows
 * that no other change is in progress, which may still have been one of a former plan.
 */
final class ReplicaMover implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaMover.class);

  /** Without leaders, each replica waits so many runs longer than the one before it in the list. */
  private static final int RUNS_PER_REPLICA = 25;

  private final ClusterTopology topology;
  private final Set<GroupId> changing = ConcurrentHashMap.newKeySet();
  private final Map<GroupId, RegionEpoch> confirmed = new ConcurrentHashMap<>();
  private final Map<GroupId, Integer> runs = new HashMap<>();

  ReplicaMover(ClusterTopology topology) {
    this.topology = topology;
  }

  /** The epoch of the last planned change of a region that this node has carried out. */
  Optional<RegionEpoch> confirmed(GroupId region) {
    return Optional.ofNullable(confirmed.get(region));
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

  private boolean isToChange(LocalReplica replica) {
    RegionAssignment region = replica.assignment();
    return region.change().isPresent()
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

  private void change(LocalReplica replica) {
    RegionAssignment region = replica.assignment();
    Optional<Membership> membership = replica.group().control(Membership.class);
    List<NodeId> wanted = region.replicasAfterChange();
    List<Member> members = topology.members(wanted);
    if (membership.isEmpty() || members.size() != wanted.size() || !changing.add(region.id())) {
      return;
    }
    LOG.atInfo()
        .addKeyValue("region", region.id())
        .addKeyValue("members", wanted)
        .log("Changing the members of a region");
    membership
        .get()
        .change(members)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                confirmed.put(region.id(), region.epoch());
              } else {
                LOG.atInfo()
                    .addKeyValue("region", region.id())
                    .addKeyValue("error", Failures.unwrap(failure).getMessage())
                    .log("The members of a region are not changed yet; the change is repeated");
              }
              changing.remove(region.id());
            });
  }
}
