package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import io.quorate.protocol.wire.Routing;
import io.quorate.server.rpc.request.ErrorMapper;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestRejected;
import io.quorate.server.rpc.request.RequestTimeouts;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.read.OutOfRangeException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Runs every read in three steps: the engine determines the read index, storage reports when it is
 * readable, and the state is read. A value that is in memory is read on the connection's event
 * loop, which sends it; everything else on a reader thread, which may wait for the disk.
 *
 * <p>If {@link Reader#prepare} requires a further wait, the read releases its reader thread and is
 * queued for one again after that wait; no thread is blocked meanwhile.
 */
final class ReadExecutor {
  private static final CompletableFuture<Void> COMPLETED = CompletableFuture.completedFuture(null);

  private final RegionLookup regionLookup;
  private final ReadStrategy linearizable;
  private final RequestTimeouts timeouts;
  private final Executor readers;
  private final Duration retryAfter;

  /**
   * Reads the state, on a reader thread, into a response frame.
   *
   * @param <P> result of the engine: a position, or a value that contains one
   */
  @FunctionalInterface
  interface Reader<P> {
    ByteBuf read(P result);

    /**
     * A future that must complete before the read; by default it is complete. Called once, on a
     * reader thread, after everything that the read must see is readable. The future is cancelled
     * if the request completes first.
     */
    default CompletionStage<Void> prepare() {
      return COMPLETED;
    }
  }

  /**
   * A reader that often needs no disk.
   *
   * @param <P> result of the engine
   */
  interface CachedReader<P> extends Reader<P> {
    /**
     * The response frame if everything is in memory. Runs on the connection's event loop; must not
     * block.
     */
    Optional<ByteBuf> readCached(P result);
  }

  /**
   * @param regionLookup rejects reads of keys that have left their region
   * @param linearizable determines the read index of reads that request linearizability
   * @param readers runs reads; may reject them
   */
  ReadExecutor(
      RegionLookup regionLookup,
      ReadStrategy linearizable,
      RequestTimeouts timeouts,
      Executor readers,
      Duration retryAfter) {
    this.regionLookup = regionLookup;
    this.linearizable = linearizable;
    this.timeouts = timeouts;
    this.readers = readers;
    this.retryAfter = retryAfter;
  }

  /** Serves a read. Does not block. */
  void serve(
      Request request,
      Routing routing,
      LocalReplica region,
      Guarantee guarantee,
      KeyScope scope,
      Reader<Position> reader) {
    if (guarantee instanceof Guarantee.AtLeast atLeast) {
      timeouts.armReadAtLeast(request, routing, () -> behind(region, atLeast.position()));
    } else {
      timeouts.armRead(request, routing);
    }
    serve(request, region, () -> readIndex(region, guarantee, scope), Function.identity(), reader);
  }

  private static Optional<String> behind(LocalReplica region, Position awaited) {
    Position applied = region.store().applied();
    return applied.compareTo(awaited) < 0
        ? Optional.of(
            "The replica has not reached position " + awaited + "; it is at " + applied + ".")
        : Optional.empty();
  }

  /**
   * Serves a read whose position does not come from a guarantee. Does not block.
   *
   * @param query queries the engine; called once, by this method
   * @param position extracts the read index from the engine's result
   */
  <P> void serve(
      Request request,
      Routing routing,
      LocalReplica region,
      Supplier<CompletionStage<P>> query,
      Function<P, Position> position,
      Reader<P> reader) {
    timeouts.armRead(request, routing);
    serve(request, region, query, position, reader);
  }

  private <P> void serve(
      Request request,
      LocalReplica region,
      Supplier<CompletionStage<P>> query,
      Function<P, Position> position,
      Reader<P> reader) {
    query
        .get()
        .thenCompose(
            result ->
                awaitReadable(request, region, position.apply(result)).thenApply(done -> result))
        .whenComplete(
            (result, failure) -> {
              if (failure == null) {
                start(request, result, reader);
              } else if (!request.isCompleted()) {
                // A completed request has cancelled its future; then there is nothing to report.
                request.fail(ErrorMapper.toRejection(failure));
              }
            });
  }

  private static CompletionStage<Void> awaitReadable(
      Request request, LocalReplica region, Position position) {
    CompletionStage<Void> readable = region.store().awaitReadable(position);
    // Releases the waiter's place in storage when the request completes early, as by its timeout.
    request.cancelWhenCompleted(readable.toCompletableFuture());
    return readable;
  }

  /** Reads that request linearizability are served by the configured strategy. */
  private CompletionStage<Position> readIndex(
      LocalReplica region, Guarantee guarantee, KeyScope scope) {
    return guarantee.isLinearizable()
        ? linearizable.readIndex(region.group(), guarantee, scope)
        : region.group().readIndex(guarantee, scope);
  }

  private <P> void start(Request request, P result, Reader<P> reader) {
    if (reader instanceof CachedReader<P> cached) {
      request.onEventLoop(() -> run(request, () -> readCached(request, result, cached)));
    } else {
      enqueue(request, () -> prepare(request, result, reader));
    }
  }

  private <P> void readCached(Request request, P result, CachedReader<P> reader) {
    Optional<ByteBuf> frame = request.hasCapacity() ? reader.readCached(result) : Optional.empty();
    frame.ifPresentOrElse(
        request::complete, () -> enqueue(request, () -> prepare(request, result, reader)));
  }

  /** Runs a step on a reader thread, unless the request has completed by then. */
  private void enqueue(Request request, Runnable step) {
    try {
      readers.execute(() -> run(request, step));
    } catch (RejectedExecutionException e) {
      request.fail(RequestRejected.overloaded("Too many reads are waiting.", retryAfter));
    }
  }

  private <P> void prepare(Request request, P result, Reader<P> reader) {
    CompletableFuture<Void> prepared = reader.prepare().toCompletableFuture();
    if (prepared.isDone() && !prepared.isCompletedExceptionally()) {
      read(request, result, reader);
      return;
    }
    request.cancelWhenCompleted(prepared);
    // The completing thread must not read.
    prepared.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            enqueue(request, () -> read(request, result, reader));
          } else if (!request.isCompleted()) {
            request.fail(ErrorMapper.toRejection(failure));
          }
        });
  }

  private <P> void read(Request request, P result, Reader<P> reader) {
    if (request.hasCapacity()) {
      request.complete(reader.read(result));
    } else {
      request.fail(
          RequestRejected.overloaded(
              "Unread responses exhaust the limits on bytes in flight (section rpc).", retryAfter));
    }
  }

  private void run(Request request, Runnable step) {
    if (request.isCompleted()) {
      return;
    }
    try {
      step.run();
    } catch (OutOfRangeException e) {
      request.fail(regionLookup.hasChanged(e.getMessage()));
    } catch (UncheckedIOException e) {
      request.fail(regionLookup.isUnreadable("The region cannot be read now: " + e.getMessage()));
    } catch (RuntimeException e) {
      request.fail(ErrorMapper.toRejection(e));
    }
  }
}
