package io.quorate.client.cluster;

import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * The state that a node reports about itself.
 *
 * @param id the name of the node
 * @param clusterId the id of its cluster
 * @param version the version of its server
 * @param preset the name of the combination of replication settings; {@code custom} if it has no
 *     name
 * @param settings the effective settings, independent of the preset: engine, reads, reply and
 *     others, in the notation of the configuration
 * @param uptime the time since the node was started
 * @param refusal the reason why the node rejects writes; empty if it accepts them
 * @param leaderless whether regions have no leader, so that every replica in service accepts
 *     requests
 * @param topologyVersion how often the topology had changed that this node has received last
 * @param nodes the nodes in the topology of this node
 * @param regions the regions in the topology of this node; empty while the node starts
 * @param plans what is planned for regions in the topology of this node and not complete
 * @param replicas the replicas on this node
 * @param disk the identity of its data directory; empty if its version reports none
 * @param joinState how far it is in joining its cluster
 * @param lostReplicas the regions whose replicas are assigned to this node and lost, and the epochs
 *     in which they are assigned
 * @param device the device with its data; empty if its version does not report it
 * @param placement what it has decided about replicas and leaders; empty unless it places them
 * @param traffic the requests of the last minutes, the oldest sample first; empty unless requested
 * @param storageFailures why its storage cannot write now, one sentence each; empty if it can
 * @param replicasPerRegion the number of replicas that a region is to have if there are enough
 *     nodes, in the topology of this node; 0 if it has none
 * @param damages what is damaged or missing of the lost replicas of which that is known: a sentence
 */
public record NodeState(
    NodeId id,
    String clusterId,
    String version,
    String preset,
    Map<String, String> settings,
    Duration uptime,
    Optional<String> refusal,
    boolean leaderless,
    long topologyVersion,
    List<NodeDescriptor> nodes,
    List<RegionDescriptor> regions,
    Map<GroupId, RegionPlan> plans,
    List<ReplicaState> replicas,
    Optional<UUID> disk,
    JoinState joinState,
    Map<GroupId, RegionEpoch> lostReplicas,
    Optional<DeviceState> device,
    Optional<PlacementState> placement,
    List<TrafficSample> traffic,
    List<String> storageFailures,
    int replicasPerRegion,
    Map<GroupId, String> damages) {
  /** How far a node is in joining its cluster. */
  public enum JoinState {
    /** The version of the node does not report it. */
    UNREPORTED,
    /** The node has no replica yet. */
    NEW,
    /** The node takes part in the first start of the cluster. */
    FOUNDING,
    /** The node has received the topology of the cluster. */
    JOINED
  }

  public NodeState {
    Nulls.refuse(id, "id");
    Nulls.refuse(clusterId, "clusterId");
    Nulls.refuse(version, "version");
    Nulls.refuse(preset, "preset");
    Nulls.refuse(uptime, "uptime");
    Nulls.refuse(refusal, "refusal");
    Nulls.refuse(disk, "disk");
    Nulls.refuse(joinState, "joinState");
    Nulls.refuse(device, "device");
    Nulls.refuse(placement, "placement");
    settings = Map.copyOf(Nulls.refuse(settings, "settings"));
    nodes = List.copyOf(Nulls.refuse(nodes, "nodes"));
    regions = List.copyOf(Nulls.refuse(regions, "regions"));
    plans = Map.copyOf(Nulls.refuse(plans, "plans"));
    replicas = List.copyOf(Nulls.refuse(replicas, "replicas"));
    lostReplicas = Map.copyOf(Nulls.refuse(lostReplicas, "lostReplicas"));
    traffic = List.copyOf(Nulls.refuse(traffic, "traffic"));
    storageFailures = List.copyOf(Nulls.refuse(storageFailures, "storageFailures"));
    damages = Map.copyOf(Nulls.refuse(damages, "damages"));
  }

  /** Returns whether this node accepts writes, without regard to other nodes. */
  public boolean acceptsWrites() {
    return refusal.isEmpty();
  }
}
