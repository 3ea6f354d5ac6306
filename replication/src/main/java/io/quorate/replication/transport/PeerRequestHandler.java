package io.quorate.replication.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.quorate.common.Budget;
import io.quorate.common.DecodeException;
import io.quorate.common.Failures;
import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.replication.transport.handshake.FrameType;
import io.quorate.replication.transport.handshake.PeerFrames;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Passes the requests of all peers to their groups and sends the responses. Any thread. */
final class PeerRequestHandler {
  private static final int RESPONSE_HEADER_BYTES = 1 + Long.BYTES;

  private final Groups groups;
  private final TransportSettings settings;
  private final TransportMetrics metrics;

  PeerRequestHandler(TransportContext context) {
    this.groups = context.groups();
    this.settings = context.settings();
    this.metrics = context.metrics();
  }

  /**
   * Serves a request. The response is sent on the same connection, possibly later.
   *
   * @param inFlight the requests in flight of this connection
   * @throws DecodeException if the request is malformed
   */
  void serve(Channel channel, NodeId from, ByteBuf body, Budget inFlight) {
    if (body.readableBytes() < Long.BYTES) {
      throw new DecodeException("a request ends early");
    }
    metrics.requestReceived();
    long correlation = body.readLong();
    GroupId group = Groups.readGroup(body);
    Optional<GroupListener> listener = groups.find(group);
    if (listener.isEmpty()) {
      fail(channel, correlation, "Group " + group + " is not open here.");
      return;
    }
    int size = body.readableBytes();
    if (!inFlight.tryAcquire(size)) {
      fail(channel, correlation, tooManyRequests());
      return;
    }
    ByteBuffer request = ByteBuffer.allocate(size);
    body.readBytes(request);
    CompletionStage<ByteBuffer> response = listener.get().onRequest(from, request.flip());
    response.whenComplete(
        (bytes, failure) -> {
          if (failure == null) {
            respond(channel, correlation, size, bytes, inFlight);
          } else {
            inFlight.release(size);
            fail(channel, correlation, detail(failure));
          }
        });
  }

  private void respond(
      Channel channel, long correlation, int size, ByteBuffer bytes, Budget inFlight) {
    int responseBytes = bytes.remaining();
    boolean tooLong = RESPONSE_HEADER_BYTES + responseBytes > settings.frameBytesMax();
    if (tooLong || !inFlight.tryGrow(responseBytes)) {
      inFlight.release(size);
      fail(
          channel,
          correlation,
          tooLong
              ? "The response of "
                  + responseBytes
                  + " bytes does not fit a frame ("
                  + settings.key("frame-size-max")
                  + ")."
              : tooManyRequests());
      return;
    }
    ByteBuf frame =
        PeerFrames.begin(channel.alloc(), FrameType.RESPONSE, Long.BYTES + responseBytes)
            .writeLong(correlation)
            .writeBytes(bytes.duplicate());
    channel
        .writeAndFlush(PeerFrames.end(frame))
        .addListener(written -> inFlight.release(size + responseBytes));
  }

  private static void fail(Channel channel, long correlation, String detail) {
    channel.writeAndFlush(
        PeerFrames.failure(channel.alloc(), correlation, detail), channel.voidPromise());
  }

  private String tooManyRequests() {
    return "This node works on as many requests as it may ("
        + settings.key("requests-in-flight-max")
        + ", "
        + settings.key("requests-size-max")
        + ").";
  }

  private static String detail(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
