package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.server.cluster.HostedRegion;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/**
 * What every read goes through: the engine says from where a read is safe, storage says when it has
 * come that far, and a reader thread reads.
 */
final class ReadPath {
  private final LinearizableReads linearizable;
  private final Deadlines deadlines;
  private final Executor readers;
  private final Duration retryAfter;

  /** A read of applied state, on a reader thread, as the frame of its answer. */
  @FunctionalInterface
  interface Reader {
    ByteBuf read(Position atLeast);
  }

  /**
   * @param linearizable how reads are served that ask for linearizability
   * @param readers runs reads; may reject them
   */
  ReadPath(
      LinearizableReads linearizable, Deadlines deadlines, Executor readers, Duration retryAfter) {
    this.linearizable = linearizable;
    this.deadlines = deadlines;
    this.readers = readers;
    this.retryAfter = retryAfter;
  }

  /** Serves a read. Does not block. */
  void serve(
      Request request,
      Routing routing,
      HostedRegion region,
      Guarantee guarantee,
      KeyScope scope,
      Reader reader) {
    deadlines.armRead(request, routing);
    serve(request, region, readPoint(region, guarantee, scope), reader);
  }

  /**
   * Serves a read whose deadline is armed, once this replica has come as far as {@code readPoint}
   * says.
   */
  void serve(
      Request request, HostedRegion region, CompletionStage<Position> readPoint, Reader reader) {
    readPoint
        .thenCompose(position -> awaitApplied(request, region, position))
        .whenComplete(
            (position, failure) -> {
              if (failure == null) {
                enqueue(request, position, reader);
              } else if (!request.isAnswered()) {
                // Once it is answered, what it waited for has been cancelled.
                request.fail(FailureMapping.refusal(failure));
              }
            });
  }

  private static CompletionStage<Position> awaitApplied(
      Request request, HostedRegion region, Position position) {
    CompletionStage<Void> applied = region.store().awaitApplied(position);
    // Gives its place among those who wait back when the client waits no longer.
    request.cancelWhenAnswered(applied.toCompletableFuture());
    return applied.thenApply(done -> position);
  }

  /** Both kinds of linearizable read are served in the one way this cluster is set up for. */
  private CompletionStage<Position> readPoint(
      HostedRegion region, Guarantee asked, KeyScope scope) {
    boolean asksLinearizable =
        asked instanceof Guarantee.Linearizable
            || asked instanceof Guarantee.LinearizableIfClocksBounded;
    return asksLinearizable
        ? linearizable.readPoint(region.group(), scope)
        : region.group().readPoint(asked, scope);
  }

  private void enqueue(Request request, Position position, Reader reader) {
    try {
      readers.execute(() -> read(request, position, reader));
    } catch (RejectedExecutionException e) {
      request.fail(Refusal.overloaded("Too many reads are waiting.", retryAfter));
    }
  }

  private void read(Request request, Position position, Reader reader) {
    if (request.isAnswered()) {
      return;
    }
    if (!request.hasRoom()) {
      request.fail(
          Refusal.overloaded(
              "Unread answers fill the bounds on bytes in flight (section door).", retryAfter));
      return;
    }
    try {
      request.complete(reader.read(position));
    } catch (UncheckedIOException e) {
      request.fail(Refusal.unavailable("The region cannot be read now: " + e.getMessage()));
    } catch (RuntimeException e) {
      request.fail(FailureMapping.refusal(e));
    }
  }
}
