package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.consensus.MetricsSink;
import io.quorate.server.access.NodeSecurity;
import io.quorate.server.admin.NodeMetrics;
import io.quorate.server.config.ServerConfig;
import io.quorate.server.rpc.ServingState;
import io.quorate.server.topology.ClusterTopology;
import java.util.Optional;

/**
 * What all parts of a node are put together with.
 *
 * @param topology the cluster as far as the node knows it
 * @param servingState whether the node serves and accepts writes
 * @param client of the whole cluster, this node included
 * @param security of the three ports; empty if anyone may do everything
 * @param resources receives what the parts open; used while the node is put together
 */
record NodeContext(
    ServerConfig config,
    ClusterTopology topology,
    ServingState servingState,
    AsyncQuorateClient client,
    NodeMetrics metrics,
    Optional<NodeSecurity> security,
    Resources resources) {

  MetricsSink telemetry() {
    return metrics.telemetry();
  }

  <T extends AutoCloseable> T keep(T resource) {
    return resources.keep(resource);
  }
}
