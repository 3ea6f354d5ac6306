package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.operation.ScanPage;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.config.LimitsConfig;

/** Reads of a range, a page at a time, within one region. */
final class ScanHandler implements RequestHandler {
  private static final int POSITION_BYTES = 2 * Long.BYTES;

  private final RegionRouter router;
  private final LimitsConfig limits;
  private final ReadPath reads;

  ScanHandler(RegionRouter router, LimitsConfig limits, ReadPath reads) {
    this.router = router;
    this.limits = limits;
    this.reads = reads;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.Scan scan = DataFrames.readScan(request.body());
    HostedRegion region = router.route(routing, scan.range().start());
    KeyRange range = scan.range().intersect(region.descriptor().range());
    int rows = Math.min(scan.rowsMax(), limits.scanRows());
    int bytes = Math.min(scan.bytesMax(), limits.scanBytes());
    reads.serve(
        request,
        routing,
        region,
        scan.guarantee(),
        KeyScope.range(range),
        position -> {
          ScanPage page = region.store().scan(range, rows, bytes);
          ByteBuf frame = request.begin(POSITION_BYTES + DataFrames.size(page));
          DataFrames.writePosition(frame, position);
          DataFrames.writePage(frame, page);
          return frame;
        });
  }
}
