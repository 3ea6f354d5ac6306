package io.quorate.client;

import io.quorate.client.wire.v1.NodeStatus;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a node reports of itself.
 *
 * @param version of the server
 * @param preset how replicas agree: a name, "custom" where none fits
 * @param settings what is in effect, whatever the preset is: engine, reads, reply and others, as
 *     they are written in the configuration
 * @param uptime since it was started
 * @param refusal why it takes no writes; empty where it does
 * @param leaderless whether every replica that serves takes requests
 * @param regions of the cluster, as this node knows them; empty while it starts
 * @param replicas that it has
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

  /** Whether it takes writes, as far as this node alone is concerned. */
  public boolean acceptsWrites() {
    return refusal.isEmpty();
  }

  /**
   * @throws MalformedException if a name in it is none
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
      throw new MalformedException("The state of a node is wrong: " + e.getMessage() + ".");
    }
  }
}
