package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.server.cluster.HostedRegion;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What every read goes through: the engine says from where a read is safe, storage says when it has
 * come that far, and a reader thread reads.
 *
 * <p>A read that then finds it better to wait for something else says so and leaves its thread, and
 * is put among the reads that wait for one again when that has come; no thread waits with it.
 */
final class ReadPath {
  private static final CompletableFuture<Void> NOTHING = CompletableFuture.completedFuture(null);

  private final LinearizableReads linearizable;
  private final Deadlines deadlines;
  private final Executor readers;
  private final Duration retryAfter;

  /**
   * A read of the state, on a reader thread, as the frame of its answer.
   *
   * @param <P> what the engine said, a position or more
   */
  @FunctionalInterface
  interface Reader<P> {
    ByteBuf read(P point);

    /**
     * What else is to be waited for before the read. Asked once, on a reader thread, after
     * everything that must be seen is readable; by default nothing. Whoever gives up completes it.
     */
    default CompletionStage<Void> prepare() {
      return NOTHING;
    }
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
            point -> awaitReadable(request, region, position.apply(point)).thenApply(done -> point))
        .whenComplete(
            (point, failure) -> {
              if (failure == null) {
                enqueue(request, () -> prepare(request, point, reader));
              } else if (!request.isAnswered()) {
                // Once it is answered, what it waited for has been cancelled.
                request.fail(FailureMapping.refusal(failure));
              }
            });
  }

  private static CompletionStage<Void> awaitReadable(
      Request request, HostedRegion region, Position position) {
    CompletionStage<Void> readable = region.store().awaitReadable(position);
    // Gives its place among those who wait back when the client waits no longer.
    request.cancelWhenAnswered(readable.toCompletableFuture());
    return readable;
  }

  /** Linearizable reads are served in the way that this cluster is set up for. */
  private CompletionStage<Position> readPoint(
      HostedRegion region, Guarantee asked, KeyScope scope) {
    boolean asksLinearizable =
        asked instanceof Guarantee.Linearizable
            || asked instanceof Guarantee.LinearizableIfClocksBounded;
    return asksLinearizable
        ? linearizable.readPoint(region.group(), asked, scope)
        : region.group().readPoint(asked, scope);
  }

  /** Has a step done on a reader thread, unless the request is answered by then. */
  private void enqueue(Request request, Runnable step) {
    try {
      readers.execute(() -> run(request, step));
    } catch (RejectedExecutionException e) {
      request.fail(Refusal.overloaded("Too many reads are waiting.", retryAfter));
    }
  }

  private <P> void prepare(Request request, P point, Reader<P> reader) {
    CompletableFuture<Void> prepared = reader.prepare().toCompletableFuture();
    if (prepared.isDone() && !prepared.isCompletedExceptionally()) {
      read(request, point, reader);
      return;
    }
    request.cancelWhenAnswered(prepared);
    // Completes on a thread that must not read.
    prepared.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            enqueue(request, () -> read(request, point, reader));
          } else if (!request.isAnswered()) {
            request.fail(FailureMapping.refusal(failure));
          }
        });
  }

  private <P> void read(Request request, P point, Reader<P> reader) {
    if (request.hasRoom()) {
      request.complete(reader.read(point));
    } else {
      request.fail(
          Refusal.overloaded(
              "Unread answers fill the bounds on bytes in flight (section door).", retryAfter));
    }
  }

  private static void run(Request request, Runnable step) {
    if (request.isAnswered()) {
      return;
    }
    try {
      step.run();
    } catch (UncheckedIOException e) {
      request.fail(Refusal.unavailable("The region cannot be read now: " + e.getMessage()));
    } catch (RuntimeException e) {
      request.fail(FailureMapping.refusal(e));
    }
  }
}
