package io.quorate.server.node;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.consensus.MetricsSink;
import io.quorate.protocol.tls.Tls;
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
 * @param tls of the three ports; empty without security
 * @param resources receives what the parts open; used while the node is put together
 */
record NodeContext(
    ServerConfig config,
    ClusterTopology topology,
    ServingState servingState,
    AsyncQuorateClient client,
    NodeMetrics metrics,
    Optional<Tls> tls,
    Resources resources) {

  MetricsSink telemetry() {
    return metrics.telemetry();
  }

  <T extends AutoCloseable> T keep(T resource) {
    return resources.keep(resource);
  }
}
