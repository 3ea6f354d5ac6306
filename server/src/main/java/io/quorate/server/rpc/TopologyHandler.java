package io.quorate.server.rpc;

import io.quorate.server.topology.ClusterTopology;

/** Responds with the cluster topology. */
final class TopologyHandler implements RequestHandler {
  private final ClusterTopology topology;

  TopologyHandler(ClusterTopology topology) {
    this.topology = topology;
  }

  @Override
  public void handle(Request request) {
    if (topology.table().isEmpty()) {
      throw RequestRejected.unavailable("This node is starting.");
    }
    request.complete(topology.topology().toByteArray());
  }
}
