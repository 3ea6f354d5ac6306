package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.operation.Limits;
import io.quorate.server.topology.LocalReplica;
import java.util.Optional;

/** Serves reads of one key. */
final class GetHandler implements RequestHandler {
  private static final int POSITION_AND_FOUND_BYTES = 2 * Long.BYTES + 1;

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
        position -> {
          Optional<byte[]> value = region.store().get(key);
          ByteBuf frame =
              request.begin(POSITION_AND_FOUND_BYTES + value.map(found -> found.length).orElse(0));
          DataFrames.writePosition(frame, position);
          DataFrames.writeValue(frame, value);
          return frame;
        });
  }
}
