package io.quorate.server.rpc;

import io.quorate.server.access.VisibleTopology;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ClusterTopology;

/** Responds with the cluster topology. */
final class TopologyHandler implements RequestHandler {
  private final ClusterTopology topology;
  private final ServingState servingState;

  TopologyHandler(ClusterTopology topology, ServingState servingState) {
    this.topology = topology;
    this.servingState = servingState;
  }

  @Override
  public void handle(Request request) {
    if (topology.table().isEmpty()) {
      throw RequestRejected.unavailable(servingState.startRefusal());
    }
    request.complete(
        VisibleTopology.of(topology.topology(), request.sender().permissions()).toByteArray());
  }
}
