package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Knows the map of the cluster and who leads which region, and says where a request goes. Does no
 * I/O; used by the client's event loop only.
 */
final class Router {
  private final int preference;
  private final Map<GroupId, NodeId> leaders = new HashMap<>();
  private Optional<ClusterMap> map = Optional.empty();

  /**
   * @param preference any number; clients with different ones prefer different replicas where every
   *     replica serves
   */
  Router(int preference) {
    this.preference = preference;
  }

  Optional<ClusterMap> map() {
    return map;
  }

  /** Takes over a map and the leaders it names, unless it is older than the present one. */
  void learn(ClusterMap learnt) {
    if (map.isPresent() && learnt.isOlderThan(map.get())) {
      return;
    }
    map = Optional.of(learnt);
    leaders.keySet().retainAll(learnt.regions().stream().map(RegionDescriptor::id).toList());
    for (RegionDescriptor region : learnt.regions()) {
      region.leader().ifPresent(leader -> leaders.put(region.id(), leader));
    }
  }

  /** A node said that it does not lead the region, and who does if it knows. */
  void notLeader(GroupId region, NodeId asked, Optional<NodeId> leader) {
    if (leader.isPresent()) {
      leaders.put(region, leader.get());
    } else {
      leaders.remove(region, asked);
    }
  }

  /** A node did not answer: whatever it led may have another leader now. */
  void unreachable(NodeId node) {
    leaders.values().removeIf(node::equals);
  }

  /** Whether the node is one that the present map describes. */
  boolean knows(NodeId node) {
    return map.isPresent() && map.get().nodes().containsKey(node);
  }

  /**
   * Where a request for the region goes next.
   *
   * @param after the node that was asked last and could not help, if there is one; it is asked
   *     again only if there is no other
   * @param reachable whether it makes sense to send something to a node now
   */
  NodeId choose(RegionDescriptor region, Optional<NodeId> after, Predicate<NodeId> reachable) {
    if (leadersOnly()) {
      NodeId leader = leaders.get(region.id());
      if (leader != null
          && !after.equals(Optional.of(leader))
          && knows(leader)
          && reachable.test(leader)) {
        return leader;
      }
    }
    List<NodeId> replicas = region.replicas();
    int start =
        after
            .map(replicas::indexOf)
            .filter(index -> index >= 0)
            .map(index -> index + 1)
            .orElse(Math.floorMod(preference, replicas.size()));
    for (int i = 0; i < replicas.size(); i++) {
      NodeId candidate = replicas.get((start + i) % replicas.size());
      if (!after.equals(Optional.of(candidate)) && reachable.test(candidate)) {
        return candidate;
      }
    }
    return replicas.get(start % replicas.size());
  }

  private boolean leadersOnly() {
    return map.isPresent() && map.get().leadersOnly();
  }
}
