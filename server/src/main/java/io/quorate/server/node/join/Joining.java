package io.quorate.server.node.join;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.cluster.NodeAddress;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.placement.FirstPlacement;
import io.quorate.server.topology.Bootstrap;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PeerTopologySource;
import io.quorate.server.topology.StoredTopologySource;
import io.quorate.server.topology.TopologySource;
import java.util.List;
import java.util.OptionalDouble;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * What a node joins its cluster with.
 *
 * @param source of the topology
 * @param peers the other nodes in the configuration
 * @param others the same nodes
 * @param registration of this node with its cluster
 */
public record Joining(
    TopologySource source, Peers peers, List<NodeAddress> others, NodeRegistration registration) {

  /**
   * @param entry how the node describes itself, with its disk
   * @param speed of the device with its data, as far as it is known
   */
  public static Joining of(
      ServerConfig config,
      ClusterTopology topology,
      AsyncQuorateClient client,
      NodeEntry entry,
      Supplier<OptionalDouble> speed) {
    UUID disk = entry.disk().orElseThrow();
    List<ClusterNode> others =
        config.cluster().nodes().stream()
            .filter(node -> !node.id().equals(topology.self()))
            .toList();
    Peers peers = new Peers(others, client);
    List<NodeAddress> addresses =
        others.stream().map(node -> new NodeAddress(node.host(), node.clientPort())).toList();
    TopologySource source =
        new StoredTopologySource(
            topology,
            () -> {
              peers.query();
              return FirstPlacement.of(
                  Bootstrap.topology(config.cluster(), peers.disks(topology.self(), disk)),
                  peers.speeds(topology.self(), speed.get()),
                  config.placement().policy());
            },
            new PeerTopologySource(topology, addresses, client),
            !others.isEmpty());
    return new Joining(source, peers, addresses, new NodeRegistration(entry, client));
  }
}
