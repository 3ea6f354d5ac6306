package io.quorate.client.internal.connection;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import io.netty.channel.EventLoop;
import io.quorate.client.DeniedException;
import io.quorate.client.Durations;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.QuorateException;
import io.quorate.client.UnavailableException;
import io.quorate.common.DecodeException;
import io.quorate.protocol.wire.Opcode;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * A request to one node about the node itself or its cluster, sent once. The response completes the
 * future on the event loop; without a response within the timeout the future fails with {@link
 * UnavailableException}.
 */
public final class AdminCall<T extends MessageLite> implements PendingRequest {
  private static final byte[] NO_FIELDS = new byte[0];

  private final Opcode opcode;
  private final byte[] body;
  private final Parser<T> parser;
  private boolean sent;
  private final CompletableFuture<T> response = new CompletableFuture<>();

  private AdminCall(Opcode opcode, byte[] body, Parser<T> parser) {
    this.opcode = opcode;
    this.body = body;
    this.parser = parser;
  }

  /** Sends a request whose message has no fields. Called on the event loop. */
  public static <T extends MessageLite> CompletableFuture<T> of(
      ConnectionPool pool, Opcode opcode, Parser<T> parser, EventLoop loop, Duration timeout) {
    return send(pool, new AdminCall<>(opcode, NO_FIELDS, parser), loop, timeout);
  }

  /** Sends a request. Called on the event loop. */
  public static <T extends MessageLite> CompletableFuture<T> of(
      ConnectionPool pool,
      Opcode opcode,
      MessageLite request,
      Parser<T> parser,
      EventLoop loop,
      Duration timeout) {
    return send(pool, new AdminCall<>(opcode, request.toByteArray(), parser), loop, timeout);
  }

  private static <T extends MessageLite> CompletableFuture<T> send(
      ConnectionPool pool, AdminCall<T> call, EventLoop loop, Duration timeout) {
    ScheduledFuture<?> timer =
        loop.schedule(
            () ->
                call.response.completeExceptionally(
                    new UnavailableException(
                        "The node did not respond within " + Durations.text(timeout) + ".")),
            timeout.toNanos(),
            TimeUnit.NANOSECONDS);
    call.response.whenComplete((done, failure) -> timer.cancel(false));
    call.enter(() -> pool.send(call));
    return call.response;
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
    sent = true;
    to.writeBytes(body);
  }

  @Override
  public boolean isWanted() {
    return !response.isDone();
  }

  @Override
  public void succeeded(ByteBuf body) {
    try {
      response.complete(parser.parseFrom(new ByteBufInputStream(body)));
    } catch (InvalidProtocolBufferException e) {
      throw new DecodeException("a response to " + opcode + " is malformed");
    }
  }

  @Override
  public void thrown(Throwable cause) {
    response.completeExceptionally(Guarded.failure(cause, sent && changes()));
  }

  private boolean changes() {
    return switch (opcode) {
      case TRANSFER_LEADER, MOVE_REPLICA, CHANGE_NODES, SPLIT_REGION, MERGE_REGION, CHANGE_ACCESS ->
          true;
      default -> false;
    };
  }

  @Override
  public void failed(AttemptFailure failure) {
    String reason = failure.reason() + ".";
    QuorateException exception =
        switch (failure.kind()) {
          case INCOMPATIBLE -> ((AttemptFailure.Incompatible) failure).exception();
          case ERROR_RESPONSE ->
              switch (((AttemptFailure.ErrorResponse) failure).status()) {
                case INVALID -> new InvalidRequestException(reason);
                case DENIED -> new DeniedException(reason);
                default -> new UnavailableException(reason);
              };
          case LOST, TIMED_OUT, INCONCLUSIVE, TOO_LARGE -> new UnavailableException(reason);
        };
    failure.cause().ifPresent(exception::initCause);
    response.completeExceptionally(exception);
  }
}
