package io.quorate.rabia.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.quorate.consensus.Failures;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.NodeId;
import io.quorate.operation.MalformedException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Has the requests of all peers answered by the groups they are for. Any thread. */
final class RequestDesk {
  private static final int ANSWER_HEADER_BYTES = 1 + Long.BYTES;

  private final Groups groups;
  private final int frameBytesMax;

  RequestDesk(Groups groups, int frameBytesMax) {
    this.groups = groups;
    this.frameBytesMax = frameBytesMax;
  }

  /**
   * Answers a request, some time, on the connection it came on.
   *
   * @param inFlight of this connection
   * @throws MalformedException if it is none
   */
  void serve(Channel channel, NodeId from, ByteBuf body, InFlight inFlight) {
    if (body.readableBytes() < Long.BYTES) {
      throw new MalformedException("a request ends early");
    }
    long correlation = body.readLong();
    GroupId group = Groups.readGroup(body);
    Optional<GroupListener> listener = groups.find(group);
    if (listener.isEmpty()) {
      fail(channel, correlation, "Group " + group + " is not open here.");
      return;
    }
    int size = body.readableBytes();
    if (!inFlight.tryBegin(size)) {
      fail(channel, correlation, tooMuch());
      return;
    }
    ByteBuffer request = ByteBuffer.allocate(size);
    body.readBytes(request);
    CompletionStage<ByteBuffer> answer = listener.get().asked(from, request.flip());
    answer.whenComplete(
        (bytes, failure) -> {
          if (failure == null) {
            answered(channel, correlation, size, bytes, inFlight);
          } else {
            inFlight.end(size);
            fail(channel, correlation, sentence(failure));
          }
        });
  }

  private void answered(
      Channel channel, long correlation, int size, ByteBuffer bytes, InFlight inFlight) {
    int answer = bytes.remaining();
    if (ANSWER_HEADER_BYTES + answer > frameBytesMax || !inFlight.tryGrow(answer)) {
      inFlight.end(size);
      fail(
          channel,
          correlation,
          ANSWER_HEADER_BYTES + answer > frameBytesMax
              ? "The answer of " + answer + " bytes does not fit a frame (rabia.frame-size-max)."
              : tooMuch());
      return;
    }
    ByteBuf frame =
        Frames.begin(channel.alloc(), FrameType.ANSWER, Long.BYTES + answer)
            .writeLong(correlation)
            .writeBytes(bytes.duplicate());
    channel.writeAndFlush(Frames.end(frame)).addListener(written -> inFlight.end(size + answer));
  }

  private static void fail(Channel channel, long correlation, String sentence) {
    channel.writeAndFlush(
        Frames.failure(channel.alloc(), correlation, sentence), channel.voidPromise());
  }

  private static String tooMuch() {
    return "This node works on as many requests as it may (rabia.requests-in-flight-max,"
        + " rabia.requests-size-max).";
  }

  private static String sentence(Throwable failure) {
    Throwable cause = Failures.unwrap(failure);
    return cause.getMessage() == null ? cause.toString() : cause.getMessage();
  }
}
