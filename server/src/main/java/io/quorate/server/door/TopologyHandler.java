package io.quorate.server.door;

import io.quorate.server.cluster.ClusterMap;

/** Answers with the map of the cluster. */
final class TopologyHandler implements RequestHandler {
  private final ClusterMap map;

  TopologyHandler(ClusterMap map) {
    this.map = map;
  }

  @Override
  public void handle(Request request) {
    if (map.table().isEmpty()) {
      throw Refusal.unavailable("This node is starting.");
    }
    request.complete(map.topology().toByteArray());
  }
}
