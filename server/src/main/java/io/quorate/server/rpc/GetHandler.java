package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Key;
import io.quorate.model.Position;
import io.quorate.protocol.operation.Limits;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Routing;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.RegionStore;
import io.quorate.storage.command.StoredValue;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Serves reads of one key. */
final class GetHandler implements RequestHandler {
  private static final int POSITION_AND_FOUND_BYTES = Position.BYTES + 1;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final RegionLookup regionLookup;
  private final Limits limits;
  private final ReadExecutor reads;
  private final Duration retryAfter;

  GetHandler(RegionLookup regionLookup, Limits limits, ReadExecutor reads, Duration retryAfter) {
    this.regionLookup = regionLookup;
    this.limits = limits;
    this.reads = reads;
    this.retryAfter = retryAfter;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.Get get = DataFrames.readGet(request.body());
    Key key = get.key();
    limits.checkKey(key);
    LocalReplica region = regionLookup.route(request, routing, key);
    reads.serve(
        request,
        routing,
        region,
        get.guarantee(),
        KeyScope.key(key),
        region
            .bodies()
            .<ReadExecutor.CachedReader<Position>>map(
                bodies -> new BodyReader(request, region.store(), key, bodies, retryAfter))
            .orElseGet(() -> new ValueReader(request, region.store(), key)));
  }

  /** Reads one value, which is in its row, into a response frame. */
  private record ValueReader(Request request, RegionStore store, Key key)
      implements ReadExecutor.CachedReader<Position> {
    @Override
    public ByteBuf read(Position position) {
      return frame(position, store.get(key));
    }

    @Override
    public Optional<ByteBuf> readCached(Position position) {
      Optional<byte[]> value = store.getCached(key);
      return value.isPresent() ? Optional.of(frame(position, value)) : Optional.empty();
    }

    private ByteBuf frame(Position position, Optional<byte[]> value) {
      return request.withRest(
          POSITION_AND_FOUND_BYTES,
          head -> {
            DataFrames.writePosition(head, position);
            head.writeBoolean(value.isPresent());
          },
          value.map(ByteBuffer::wrap).orElse(NOTHING));
    }
  }

  /**
   * Reads one value that may be a body: first its row, then the body, which may come from other
   * nodes. A body that was removed meanwhile, because its value was replaced, makes the read
   * unavailable, and the client reads again.
   */
  private static final class BodyReader implements ReadExecutor.CachedReader<Position> {
    private final Request request;
    private final RegionStore store;
    private final Key key;
    private final BodyReplication bodies;
    private final Duration retryAfter;
    private Optional<ByteBuffer> value = Optional.empty();

    BodyReader(
        Request request, RegionStore store, Key key, BodyReplication bodies, Duration retryAfter) {
      this.request = request;
      this.store = store;
      this.key = key;
      this.bodies = bodies;
      this.retryAfter = retryAfter;
    }

    @Override
    public Optional<ByteBuf> readCached(Position position) {
      return store
          .getCached(key)
          .map(cached -> frame(position, Optional.of(ByteBuffer.wrap(cached))));
    }

    @Override
    public CompletionStage<Void> prepare() {
      Optional<StoredValue> stored = store.getStored(key);
      if (stored.isEmpty()) {
        return CompletableFuture.completedFuture(null);
      }
      if (!request.tryReserve(stored.get().length())) {
        return CompletableFuture.failedFuture(StoredValues.tooLarge(retryAfter));
      }
      return StoredValues.bytes(stored.get(), bodies).thenAccept(read -> value = Optional.of(read));
    }

    @Override
    public ByteBuf read(Position position) {
      return frame(position, value);
    }

    private ByteBuf frame(Position position, Optional<ByteBuffer> found) {
      return request.withRest(
          POSITION_AND_FOUND_BYTES,
          head -> {
            DataFrames.writePosition(head, position);
            head.writeBoolean(found.isPresent());
          },
          found.orElse(NOTHING));
    }
  }
}
