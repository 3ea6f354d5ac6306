package io.quorate.server.door;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.Status;
import io.quorate.client.wire.v1.Hello;
import io.quorate.client.wire.v1.Welcome;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.config.DoorConfig;
import io.quorate.server.config.LimitsConfig;

/** The greeting: makes sure that client and server mean the same cluster. */
final class HelloHandler implements RequestHandler {
  private final ClusterMap map;
  private final ServiceGate gate;
  private final LimitsConfig limits;
  private final DoorConfig.InFlight bound;
  private final String version;

  HelloHandler(
      ClusterMap map,
      ServiceGate gate,
      LimitsConfig limits,
      DoorConfig.InFlight bound,
      String version) {
    this.map = map;
    this.gate = gate;
    this.limits = limits;
    this.bound = bound;
    this.version = version;
  }

  @Override
  public void handle(Request request) {
    Hello hello = parse(request);
    String cluster = map.cluster().value();
    if (!hello.getClusterId().isEmpty() && !hello.getClusterId().equals(cluster)) {
      throw Refusal.of(
          Status.INCOMPATIBLE,
          "This node belongs to cluster \""
              + cluster
              + "\", and the client asked for \""
              + hello.getClusterId()
              + "\".");
    }
    if (gate.phase() == ServiceGate.Phase.STOPPING) {
      throw Refusal.unavailable("This node is stopping.");
    }
    request.complete(
        Welcome.newBuilder()
            .setClusterId(cluster)
            .setNodeId(map.self().value())
            .setServerVersion(version)
            .setFrameBytesMax(limits.frameBytes())
            .setKeyBytesMax(limits.operations().keyBytes())
            .setValueBytesMax(limits.operations().valueBytes())
            .setInFlightRequestsMax(bound.requests())
            .setInFlightBytesMax(bound.bytes())
            .setTopology(map.topology())
            .build()
            .toByteArray());
  }

  private static Hello parse(Request request) {
    try {
      return Hello.parseFrom(request.unread());
    } catch (InvalidProtocolBufferException e) {
      throw Refusal.invalid("The greeting cannot be read: " + e.getMessage());
    }
  }
}
