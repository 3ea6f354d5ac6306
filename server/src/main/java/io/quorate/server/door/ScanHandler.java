package io.quorate.server.door;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.server.cluster.HostedRegion;
import io.quorate.server.config.LimitsConfig;
import io.quorate.storage.RegionStore;
import io.quorate.storage.ScanPlan;
import java.util.concurrent.CompletionStage;

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
        new PlannedScan(request, region.store(), range, rows, bytes));
  }

  /**
   * A scan that waits, where the cost model prefers that, between two visits to a reader thread:
   * the first one plans, the second one reads. The plan is made when everything that the scan must
   * see is readable, so that whatever is read later shows that much (PROTOCOLS B2, B8).
   */
  private static final class PlannedScan implements ReadPath.Reader<Position> {
    private final Request request;
    private final RegionStore store;
    private final KeyRange range;
    private final int rows;
    private final int bytes;
    private ScanPlan plan = ScanPlan.MERGE;

    PlannedScan(Request request, RegionStore store, KeyRange range, int rows, int bytes) {
      this.request = request;
      this.store = store;
      this.range = range;
      this.rows = rows;
      this.bytes = bytes;
    }

    @Override
    public CompletionStage<Void> prepare() {
      plan = store.planScan(range, rows);
      return store.awaitScan(plan);
    }

    @Override
    public ByteBuf read(Position readPoint) {
      // What is read may be newer than the read point asks for, and so is its position.
      RegionStore.Cut cut = store.cut(range, rows, bytes, plan);
      ByteBuf frame = request.begin(POSITION_BYTES + DataFrames.size(cut.page()));
      DataFrames.writePosition(frame, cut.position());
      DataFrames.writePage(frame, cut.page());
      return frame;
    }
  }
}
