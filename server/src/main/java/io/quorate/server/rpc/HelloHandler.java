package io.quorate.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.Welcome;
import io.quorate.server.config.LimitsConfig;
import io.quorate.server.config.RpcConfig;
import io.quorate.server.topology.ClusterTopology;

/**
 * Serves the handshake: rejects a client that expects another cluster, and sends it the limits and
 * the topology otherwise.
 */
final class HelloHandler implements RequestHandler {
  private final ClusterTopology topology;
  private final ServingState servingState;
  private final LimitsConfig limits;
  private final RpcConfig.InFlight bound;
  private final String version;

  HelloHandler(
      ClusterTopology topology,
      ServingState servingState,
      LimitsConfig limits,
      RpcConfig.InFlight bound,
      String version) {
    this.topology = topology;
    this.servingState = servingState;
    this.limits = limits;
    this.bound = bound;
    this.version = version;
  }

  @Override
  public void handle(Request request) {
    Hello hello = parse(request);
    String cluster = topology.cluster().value();
    if (!hello.getClusterId().isEmpty() && !hello.getClusterId().equals(cluster)) {
      throw RequestRejected.of(
          Status.INCOMPATIBLE,
          "This node belongs to cluster \""
              + cluster
              + "\", and the client requested \""
              + hello.getClusterId()
              + "\".");
    }
    if (servingState.phase() == ServingState.Phase.STOPPING) {
      throw RequestRejected.unavailable("This node is stopping.");
    }
    request.complete(
        Welcome.newBuilder()
            .setClusterId(cluster)
            .setNodeId(topology.self().value())
            .setServerVersion(version)
            .setFrameBytesMax(limits.frameBytes())
            .setKeyBytesMax(limits.operations().keyBytes())
            .setValueBytesMax(limits.operations().valueBytes())
            .setInFlightRequestsMax(bound.requests())
            .setInFlightBytesMax(bound.bytes())
            .setTopology(topology.topology())
            .build()
            .toByteArray());
  }

  private static Hello parse(Request request) {
    try {
      return Hello.parseFrom(request.unread());
    } catch (InvalidProtocolBufferException e) {
      throw RequestRejected.invalid("The handshake cannot be read: " + e.getMessage());
    }
  }
}
