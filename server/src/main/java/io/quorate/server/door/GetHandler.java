package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyScope;
import io.quorate.operation.Limits;
import io.quorate.server.cluster.HostedRegion;
import java.util.Optional;

/** Reads of one key. */
final class GetHandler implements RequestHandler {
  private static final int POSITION_AND_FOUND_BYTES = 2 * Long.BYTES + 1;

  private final RegionRouter router;
  private final Limits limits;
  private final ReadPath reads;

  GetHandler(RegionRouter router, Limits limits, ReadPath reads) {
    this.router = router;
    this.limits = limits;
    this.reads = reads;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.Get get = DataFrames.readGet(request.body());
    Key key = get.key();
    limits.checkKey(key);
    HostedRegion region = router.route(routing, key);
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
