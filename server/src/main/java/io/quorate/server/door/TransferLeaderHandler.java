package io.quorate.server.door;

import com.google.protobuf.InvalidProtocolBufferException;
import io.quorate.client.wire.v1.TransferLeaderRequest;
import io.quorate.client.wire.v1.TransferLeaderResponse;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Leadership;
import io.quorate.consensus.NodeId;
import io.quorate.server.cluster.ClusterMap;
import io.quorate.server.cluster.HostedRegion;
import java.time.Duration;

/** Hands a region's leadership to another node, for operators. */
final class TransferLeaderHandler implements RequestHandler {
  private final ClusterMap map;
  private final Duration timeout;

  TransferLeaderHandler(ClusterMap map, Duration timeout) {
    this.map = map;
    this.timeout = timeout;
  }

  @Override
  public void handle(Request request) {
    TransferLeaderRequest asked = parse(request);
    HostedRegion region = region(asked.getRegion());
    Leadership leadership =
        region
            .group()
            .control(Leadership.class)
            .orElseThrow(() -> Refusal.invalid("Regions of this cluster have no leader."));
    leadership
        .transferTo(target(asked.getTarget()), timeout)
        .whenComplete(
            (done, failure) -> {
              if (failure == null) {
                request.complete(TransferLeaderResponse.getDefaultInstance().toByteArray());
              } else {
                request.fail(FailureMapping.refusal(failure));
              }
            });
  }

  private HostedRegion region(int id) {
    if (id < 0) {
      throw Refusal.invalid("A region's number is 0 or greater, not " + id + ".");
    }
    return map.hosted(new GroupId(id))
        .orElseThrow(
            () ->
                Refusal.stale("Node " + map.self() + " has no region " + id + ".", map.topology()));
  }

  private static NodeId target(String text) {
    try {
      return new NodeId(text);
    } catch (IllegalArgumentException e) {
      throw Refusal.invalid(e.getMessage() + ".");
    }
  }

  private static TransferLeaderRequest parse(Request request) {
    try {
      return TransferLeaderRequest.parseFrom(request.unread());
    } catch (InvalidProtocolBufferException e) {
      throw Refusal.invalid("The request cannot be read: " + e.getMessage());
    }
  }
}
