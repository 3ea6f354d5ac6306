package io.quorate.client;

import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.common.DecodeException;
import io.quorate.consensus.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
 * @param regions the regions in the topology of this node; empty while the node starts
 * @param replicas the replicas on this node
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
    List<RegionDescriptor> regions,
    List<ReplicaState> replicas) {
  public NodeState {
    settings = Map.copyOf(settings);
    regions = List.copyOf(regions);
    replicas = List.copyOf(replicas);
  }

  /** Returns whether this node accepts writes, without regard to other nodes. */
  public boolean acceptsWrites() {
    return refusal.isEmpty();
  }

  /**
   * @throws DecodeException if the message contains an invalid name or id, or an epoch below 1
   */
  static NodeState of(NodeStatus status) {
    try {
      return new NodeState(
          new NodeId(status.getNode().getId()),
          status.getClusterId(),
          status.getServerVersion(),
          status.getPreset(),
          status.getSettingsMap(),
          Duration.ofMillis(status.getUptimeMs()),
          status.getAcceptsWrites() ? Optional.empty() : Optional.of(status.getRefusal()),
          !status.getTopology().getLeadersOnly(),
          status.getTopology().getRegionsList().stream().map(RegionDescriptor::of).toList(),
          status.getReplicasList().stream().map(ReplicaState::of).toList());
    } catch (IllegalArgumentException e) {
      throw new DecodeException("The state of a node is invalid: " + e.getMessage() + ".");
    }
  }
}
