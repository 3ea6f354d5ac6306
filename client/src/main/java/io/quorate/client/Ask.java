package io.quorate.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.EventLoop;
import io.quorate.client.wire.Opcode;
import io.quorate.operation.MalformedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A question to one node about itself or its cluster, asked once. The answer completes on the event
 * loop; where there is none in time, it fails with {@link UnavailableException}.
 */
final class Ask<T extends MessageLite> implements Exchange {
  private final Opcode opcode;
  private final Parser<T> parser;
  private final CompletableFuture<T> answer = new CompletableFuture<>();

  private Ask(Opcode opcode, Parser<T> parser) {
    this.opcode = opcode;
    this.parser = parser;
  }

  /** Asks, on the event loop. */
  static <T extends MessageLite> CompletableFuture<T> of(
      NodeLink link, Opcode opcode, Parser<T> parser, EventLoop loop, Duration timeout) {
    Ask<T> ask = new Ask<>(opcode, parser);
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
    return 0;
  }

  @Override
  public void writeBody(ByteBuf to) {
    // These questions have no body: their messages have no fields.
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
    answer.completeExceptionally(
        setback instanceof Setback.Incompatible
            ? new IncompatibleException(reason)
            : new UnavailableException(reason));
  }
}
