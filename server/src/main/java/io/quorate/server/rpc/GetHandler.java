package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.operation.Limits;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.RegionStore;
import java.util.Optional;

/** Serves reads of one key. */
final class GetHandler implements RequestHandler {
  private static final int POSITION_AND_FOUND_BYTES = Position.BYTES + 1;

  private final RegionLookup regionLookup;
  private final Limits limits;
  private final ReadExecutor reads;

  GetHandler(RegionLookup regionLookup, Limits limits, ReadExecutor reads) {
    this.regionLookup = regionLookup;
    this.limits = limits;
    this.reads = reads;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.Get get = DataFrames.readGet(request.body());
    Key key = get.key();
    limits.checkKey(key);
    LocalReplica region = regionLookup.route(routing, key);
    reads.serve(
        request,
        routing,
        region,
        get.guarantee(),
        KeyScope.key(key),
        new ValueReader(request, region.store(), key));
  }

  /** Reads one value into a response frame. */
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
      ByteBuf frame =
          request.begin(POSITION_AND_FOUND_BYTES + value.map(found -> found.length).orElse(0));
      DataFrames.writePosition(frame, position);
      DataFrames.writeValue(frame, value);
      return frame;
    }
  }
}
