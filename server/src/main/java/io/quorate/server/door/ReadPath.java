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
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What every read goes through: the engine says from where a read is safe, storage says when it has
 * come that far, and a reader thread reads.
 */
final class ReadPath {
  private final LinearizableReads linearizable;
  private final Deadlines deadlines;
  private final Executor readers;
  private final Duration retryAfter;

  /**
   * A read of applied state, on a reader thread, as the frame of its answer.
   *
   * @param <P> what the engine said, a position or more
   */
  @FunctionalInterface
  interface Reader<P> {
    ByteBuf read(P point);
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
      Reader<Position> reader) {
    serve(
        request,
        routing,
        region,
        () -> readPoint(region, guarantee, scope),
        Function.identity(),
        reader);
  }

  /**
   * Serves a read in another way than by its guarantee. Does not block.
   *
   * @param ask asks the engine; called once, here
   * @param position from where the read is safe by what the engine said
   */
  <P> void serve(
      Request request,
      Routing routing,
      HostedRegion region,
      Supplier<CompletionStage<P>> ask,
      Function<P, Position> position,
      Reader<P> reader) {
    deadlines.armRead(request, routing);
    ask.get()
        .thenCompose(
            point -> awaitApplied(request, region, position.apply(point)).thenApply(done -> point))
        .whenComplete(
            (point, failure) -> {
              if (failure == null) {
                enqueue(request, point, reader);
              } else if (!request.isAnswered()) {
                // Once it is answered, what it waited for has been cancelled.
                request.fail(FailureMapping.refusal(failure));
              }
            });
  }

  private static CompletionStage<Void> awaitApplied(
      Request request, HostedRegion region, Position position) {
    CompletionStage<Void> applied = region.store().awaitApplied(position);
    // Gives its place among those who wait back when the client waits no longer.
    request.cancelWhenAnswered(applied.toCompletableFuture());
    return applied;
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

  private <P> void enqueue(Request request, P point, Reader<P> reader) {
    try {
      readers.execute(() -> read(request, point, reader));
    } catch (RejectedExecutionException e) {
      request.fail(Refusal.overloaded("Too many reads are waiting.", retryAfter));
    }
  }

  private <P> void read(Request request, P point, Reader<P> reader) {
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
      request.complete(reader.read(point));
    } catch (UncheckedIOException e) {
      request.fail(Refusal.unavailable("The region cannot be read now: " + e.getMessage()));
    } catch (RuntimeException e) {
      request.fail(FailureMapping.refusal(e));
    }
  }
}
