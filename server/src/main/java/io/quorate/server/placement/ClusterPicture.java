package io.quorate.server.placement;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.DeviceState;
import io.quorate.client.cluster.NodeReport;
import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * What placement decides on. Immutable.
 *
 * @param topology the stored topology
 * @param responding the nodes that respond and have joined the cluster. One with an emptied disk
 *     has not, until it is replaced: it counts as one that is down.
 * @param leaders the nodes that lead regions, as far as they are known; empty in clusters without
 *     leaders
 * @param rowBytes the approximate size of each region's rows in bytes, with its large values, as
 *     far as it is known
 * @param proposals where regions that are large or busy would be split
 * @param lost the replicas that their nodes have lost
 * @param devices the devices of nodes, as far as they are known
 * @param rates the requests a second that each region receives, as far as they are known
 * @param completeBodies how many large values each replica holds completely; only with coded
 *     replication
 * @param unsplit the regions of which a node has yet to apply a split, or may have, from which it
 *     receives its replica of another region
 * @param refusing the nodes that respond and do not accept writes: they start or stop, or their
 *     disks are nearly full
 */
public record ClusterPicture(
    StoredTopology topology,
    Set<NodeId> responding,
    Map<GroupId, NodeId> leaders,
    Map<GroupId, Long> rowBytes,
    Map<GroupId, SplitProposal> proposals,
    Set<LostReplica> lost,
    Map<NodeId, NodeDevice> devices,
    Map<GroupId, Double> rates,
    Map<GroupId, Map<NodeId, Long>> completeBodies,
    Map<NodeId, Set<GroupId>> unsplit,
    Set<NodeId> refusing) {

  /**
   * A replica that its node does not have and may not begin.
   *
   * @param epoch in which it is assigned; in a later one the report says nothing
   */
  record LostReplica(GroupId region, NodeId node, RegionEpoch epoch) {}

  /**
   * Where a region would be split.
   *
   * @param bySize a key with half of its bytes below it; empty unless it is large
   * @param byLoad a key with half of its requests below it; empty unless it is busy
   * @param bytes the approximate size of its rows, by the replica that names the keys; others may
   *     have estimated theirs before the last split, or less exactly
   */
  record SplitProposal(Optional<Key> bySize, Optional<Key> byLoad, long bytes) {
    private static SplitProposal of(ReplicaState replica) {
      return new SplitProposal(
          replica.splitKeys().bySize(), replica.splitKeys().byLoad(), replica.rowBytes());
    }

    /** In a cluster without leaders, every replica reports one, and their estimates differ. */
    private SplitProposal or(SplitProposal other) {
      return bySize.isPresent() || byLoad.isPresent() ? this : other;
    }
  }

  public ClusterPicture {
    responding = Set.copyOf(responding);
    leaders = Map.copyOf(leaders);
    rowBytes = Map.copyOf(rowBytes);
    proposals = Map.copyOf(proposals);
    lost = Set.copyOf(lost);
    devices = Map.copyOf(devices);
    rates = Map.copyOf(rates);
    completeBodies = Map.copyOf(completeBodies);
    unsplit = Map.copyOf(unsplit);
    refusing = Set.copyOf(refusing);
  }

  /** The picture that the nodes' reports give. */
  static ClusterPicture of(StoredTopology topology, ClusterStatus status) {
    Set<NodeId> responding = new HashSet<>();
    Map<GroupId, NodeId> leaders = new HashMap<>();
    Map<GroupId, Long> rowBytes = new HashMap<>();
    Map<GroupId, SplitProposal> proposals = new HashMap<>();
    Set<LostReplica> lost = new HashSet<>();
    Map<NodeId, NodeDevice> devices = new HashMap<>();
    Map<GroupId, Double> rates = new HashMap<>();
    Map<GroupId, Map<NodeId, Long>> completeBodies = new HashMap<>();
    Map<NodeId, Set<GroupId>> open = new HashMap<>();
    List<NodeState> states =
        status.nodes().stream()
            .map(NodeReport::state)
            .flatMap(Optional::stream)
            .filter(node -> !hasAnotherDisk(topology, node))
            .toList();
    for (NodeState node : states) {
      responding.add(node.id());
      open.put(
          node.id(),
          node.replicas().stream().map(each -> each.region().id()).collect(Collectors.toSet()));
      node.device().ifPresent(device -> devices.put(node.id(), device(device)));
      node.lostReplicas()
          .forEach((region, epoch) -> lost.add(new LostReplica(region, node.id(), epoch)));
      for (ReplicaState replica : node.replicas()) {
        GroupId region = replica.region().id();
        rowBytes.merge(region, replica.rowBytes(), Math::max);
        if (replica.serving() && !node.leaderless()) {
          leaders.put(region, node.id());
        }
        // In clusters without leaders, clients send requests to every replica.
        replica.requestRate().ifPresent(rate -> rates.merge(region, rate, Double::sum));
        replica
            .bodies()
            .ifPresent(
                bodies ->
                    completeBodies
                        .computeIfAbsent(region, absent -> new HashMap<>())
                        .put(node.id(), bodies.complete()));
        if (replica.serving()) {
          replica
              .lostMembers()
              .forEach(
                  member -> lost.add(new LostReplica(region, member, replica.region().epoch())));
          proposals.merge(region, SplitProposal.of(replica), SplitProposal::or);
        }
      }
    }
    return new ClusterPicture(
        topology,
        responding,
        leaders,
        rowBytes,
        proposals,
        lost,
        devices,
        rates,
        completeBodies,
        unsplit(topology, open, lost),
        states.stream()
            .filter(node -> !node.acceptsWrites())
            .map(NodeState::id)
            .collect(Collectors.toSet()));
  }

  private static boolean hasAnotherDisk(StoredTopology topology, NodeState node) {
    Optional<UUID> registered = topology.node(node.id()).flatMap(NodeEntry::disk);
    return registered.isPresent() && node.disk().isPresent() && !registered.equals(node.disk());
  }

  /**
   * The regions of which each node that responds has yet to apply a split, or may have. A region
   * keeps its lower keys in a split. So a replica that a node is to have, and neither has nor has
   * lost, begins by a split of the region next below that is open there, or of one between that is
   * not open yet.
   *
   * @param openByNode the regions whose replicas are open on each node
   */
  static Map<NodeId, Set<GroupId>> unsplit(
      StoredTopology topology, Map<NodeId, Set<GroupId>> openByNode, Set<LostReplica> lost) {
    Map<NodeId, Set<GroupId>> unsplit = new HashMap<>();
    List<RegionAssignment> regions = topology.regions().regions();
    openByNode.forEach(
        (node, open) -> {
          boolean isAwaited = false;
          for (int i = regions.size() - 1; i >= 0; i--) {
            RegionAssignment region = regions.get(i);
            boolean isOpen = open.contains(region.id());
            boolean isToOpen = !isOpen && region.isOn(node) && !isLost(lost, region, node);
            if (isAwaited && (isOpen || isToOpen)) {
              unsplit.computeIfAbsent(node, absent -> new HashSet<>()).add(region.id());
            }
            isAwaited = isToOpen || isAwaited && !isOpen;
          }
        });
    return unsplit;
  }

  /**
   * Whether the replica of the region must not leave the node yet: another one begins there only
   * when it has applied a split, and would be lost otherwise.
   */
  boolean isUnsplit(GroupId region, NodeId node) {
    return unsplit(node).contains(region);
  }

  /** The regions of which a node has yet to apply a split, or may have. */
  Set<GroupId> unsplit(NodeId node) {
    return unsplit.getOrDefault(node, Set.of());
  }

  /** Whether the node has lost its replica of the region, in the present epoch of that. */
  boolean isLost(RegionAssignment region, NodeId node) {
    return isLost(lost, region, node);
  }

  private static boolean isLost(Set<LostReplica> lost, RegionAssignment region, NodeId node) {
    return lost.contains(new LostReplica(region.id(), node, region.epoch()));
  }

  /** Where the region would be split; without keys, and as large as any replica, if not known. */
  SplitProposal proposal(GroupId region) {
    return Optional.ofNullable(proposals.get(region))
        .orElseGet(
            () ->
                new SplitProposal(
                    Optional.empty(), Optional.empty(), rowBytes.getOrDefault(region, 0L)));
  }

  /** How many large values of the region the node holds completely, as far as it is known. */
  long completeBodies(GroupId region, NodeId node) {
    return completeBodies.getOrDefault(region, Map.of()).getOrDefault(node, 0L);
  }

  /** What the node reports of its device. */
  NodeDevice device(NodeId node) {
    return devices.getOrDefault(node, NodeDevice.UNKNOWN);
  }

  /** Whether leadership may move to a node: it accepts writes, and its device is well. */
  boolean mayLead(NodeId node) {
    return responding.contains(node) && !refusing.contains(node) && !device(node).isSlow();
  }

  boolean isLeader(GroupId region, NodeId node) {
    return node.equals(leaders.get(region));
  }

  private static NodeDevice device(DeviceState device) {
    return new NodeDevice(
        device.speed().orElse(0),
        device.capacityBytes() > 0 ? device.capacityBytes() : Long.MAX_VALUE,
        device.isSlow());
  }

  /** The same with another topology. */
  ClusterPicture with(StoredTopology changed) {
    return new ClusterPicture(
        changed,
        responding,
        leaders,
        rowBytes,
        proposals,
        lost,
        devices,
        rates,
        completeBodies,
        unsplit,
        refusing);
  }

  /** The same with one more node that responds. */
  ClusterPicture withResponding(NodeId node) {
    Set<NodeId> all = new HashSet<>(responding);
    all.add(node);
    return new ClusterPicture(
        topology,
        all,
        leaders,
        rowBytes,
        proposals,
        lost,
        devices,
        rates,
        completeBodies,
        unsplit,
        refusing);
  }

  /** The nodes that may receive replicas. */
  List<NodeId> receivers() {
    return topology.nodes().stream()
        .filter(node -> !node.isDraining() && responding.contains(node.id()))
        .map(NodeEntry::id)
        .toList();
  }

  /** The number of regions whose replicas are changing. */
  int changesUnderWay() {
    return (int)
        topology.assignments().stream().filter(region -> region.change().isPresent()).count();
  }
}
