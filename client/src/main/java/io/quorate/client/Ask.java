package io.quorate.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.EventLoop;
import io.quorate.client.wire.Opcode;
import io.quorate.client.wire.Status;
import io.quorate.operation.MalformedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A request to one node about itself or its cluster, sent once. The response completes on the event
 * loop; where there is none in time, it fails with {@link UnavailableException}.
 */
final class Ask<T extends MessageLite> implements Exchange {
  private static final byte[] NO_FIELDS = new byte[0];

  private final Opcode opcode;
  private final byte[] body;
  private final Parser<T> parser;
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  private Ask(Opcode opcode, byte[] body, Parser<T> parser) {
    this.opcode = opcode;
    this.body = body;
    this.parser = parser;
  }

  /** Sends a request whose message has no fields, on the event loop. */
  static <T extends MessageLite> CompletableFuture<T> of(
      NodeLink link, Opcode opcode, Parser<T> parser, EventLoop loop, Duration timeout) {
    return send(link, new Ask<>(opcode, NO_FIELDS, parser), loop, timeout);
  }

  /** Sends a request, on the event loop. */
  static <T extends MessageLite> CompletableFuture<T> of(
      NodeLink link,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      EventLoop loop,
      Duration timeout) {
    return send(link, new Ask<>(opcode, request.toByteArray(), parser), loop, timeout);
  }

  private static <T extends MessageLite> CompletableFuture<T> send(
      NodeLink link, Ask<T> ask, EventLoop loop, Duration timeout) {
    ScheduledFuture<?> timer =
        loop.schedule(
            () ->
                ask.answer.completeExceptionally(
                    new UnavailableException(
                        "The node did not answer within " + Durations.text(timeout) + ".")),
            timeout.toNanos(),
            TimeUnit.NANOSECONDS);
    ask.answer.whenComplete((answer, failure) -> timer.cancel(false));
    link.send(ask);
    return ask.answer;
  }

  @Override
  public Opcode opcode() {
    return opcode;
  }

  @Override
  public int bodyBytes() {
    return body.length;
  }

  @Override
  public void writeBody(ByteBuf to) {
    to.writeBytes(body);
  }

  @Override
  public boolean isWanted() {
    return !answer.isDone();
  }

  @Override
  public void succeeded(ByteBuf body) {
    try {
      answer.complete(parser.parseFrom(new ByteBufInputStream(body)));
    } catch (InvalidProtocolBufferException e) {
      throw new MalformedException("an answer to " + opcode + " cannot be read");
    }
  }

  @Override
  public void failed(Setback setback) {
    String reason = setback.reason() + ".";
    if (setback instanceof Setback.Incompatible) {
      answer.completeExceptionally(new IncompatibleException(reason));
    } else if (setback instanceof Setback.Answered answered
        && answered.status() == Status.INVALID) {
      answer.completeExceptionally(new InvalidRequestException(reason));
    } else {
      answer.completeExceptionally(new UnavailableException(reason));
    }
  }
}
