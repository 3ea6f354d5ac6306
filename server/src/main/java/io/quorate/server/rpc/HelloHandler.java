package io.quorate.server.rpc;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.protocol.wire.Status;
import io.quorate.protocol.wire.v1.Hello;
import io.quorate.protocol.wire.v1.Welcome;
import io.quorate.server.access.Permissions;
import io.quorate.server.access.VisibleTopology;
import io.quorate.server.config.LimitsConfig;
import io.quorate.server.config.RpcConfig;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.StoredTopology;
import java.util.Optional;

/**
 * Serves the handshake: rejects a client that expects another cluster, and sends it the limits and
 * the topology otherwise.
 */
final class HelloHandler implements RequestHandler {
  private static final long LEADERS_AGE_MAX_NANOS = 50_000_000;

  private final ClusterTopology topology;
  private final ServingState servingState;
  private final LimitsConfig limits;
  private final RpcConfig.InFlight bound;
  private final String version;
  private volatile Encoded encoded = new Encoded(Optional.empty(), 0, new byte[0]);

  /** A welcome, and the topology and the time of which it is. */
  private record Encoded(Optional<StoredTopology> topology, long nanos, byte[] bytes) {}

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
    Permissions permissions = request.sender().permissions();
    request.complete(permissions.isEverything() ? welcome() : encode(permissions));
  }

  /**
   * Encoded once for all connections that arrive at a time: a topology of many regions is long, and
   * after a restart all clients greet at once. Leaders in it are a hint, so they may be of a moment
   * ago; a changed topology is always in it.
   */
  private byte[] welcome() {
    Encoded known = encoded;
    Optional<StoredTopology> present = topology.present();
    long now = System.nanoTime();
    if (known.bytes().length == 0
        || known.topology().orElse(null) != present.orElse(null)
        || now - known.nanos() > LEADERS_AGE_MAX_NANOS) {
      known = new Encoded(present, now, encode(Permissions.EVERYTHING));
      encoded = known;
    }
    return known.bytes();
  }

  private byte[] encode(Permissions permissions) {
    return Welcome.newBuilder()
        .setClusterId(topology.cluster().value())
        .setNodeId(topology.self().value())
        .setServerVersion(version)
        .setFrameBytesMax(limits.frameBytes())
        .setKeyBytesMax(limits.operations().keyBytes())
        .setValueBytesMax(limits.operations().valueBytes())
        .setInFlightRequestsMax(bound.requests())
        .setInFlightBytesMax(bound.bytes())
        .setTopology(VisibleTopology.of(topology.topology(), permissions))
        .build()
        .toByteArray();
  }

  private static Hello parse(Request request) {
    try {
      return Hello.parseFrom(request.unread());
    } catch (InvalidProtocolBufferException e) {
      throw RequestRejected.invalid("The handshake cannot be read: " + e.getMessage());
    }
  }
}
