package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.client.wire.DataFrames;
import io.quorate.client.wire.Routing;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.operation.ScanOrder;
import io.quorate.server.config.LimitsConfig;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.RegionStore;
import io.quorate.storage.read.ScanCut;
import io.quorate.storage.read.ScanPlan;
import java.util.concurrent.CompletionStage;

/** Serves scans in one order, one page at a time, within one region. */
final class ScanHandler implements RequestHandler {
  private final ScanOrder order;
  private final RegionLookup regionLookup;
  private final LimitsConfig limits;
  private final ReadExecutor reads;

  ScanHandler(ScanOrder order, RegionLookup regionLookup, LimitsConfig limits, ReadExecutor reads) {
    this.order = order;
    this.regionLookup = regionLookup;
    this.limits = limits;
    this.reads = reads;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.Scan scan = DataFrames.readScan(request.body());
    LocalReplica region = regionLookup.route(routing, order.firstKey(scan.range()));
    KeyRange range = scan.range().intersect(region.assignment().range());
    int rows = Math.min(scan.rowsMax(), limits.scanRows());
    int bytes = Math.min(scan.bytesMax(), limits.scanBytes());
    reads.serve(
        request,
        routing,
        region,
        scan.guarantee(),
        KeyScope.range(range),
        new PlannedScan(request, region.store(), range, order, rows, bytes));
  }

  /**
   * A scan in two steps on reader threads: the first one plans, the second one reads. Between them
   * the scan waits if the cost model prefers that. The plan is made when everything that the scan
   * must see is readable, so that every later read sees it too (B2, B8).
   */
  private static final class PlannedScan implements ReadExecutor.Reader<Position> {
    private final Request request;
    private final RegionStore store;
    private final KeyRange range;
    private final ScanOrder order;
    private final int rows;
    private final int bytes;
    private ScanPlan plan = ScanPlan.MERGE;

    PlannedScan(
        Request request, RegionStore store, KeyRange range, ScanOrder order, int rows, int bytes) {
      this.request = request;
      this.store = store;
      this.range = range;
      this.order = order;
      this.rows = rows;
      this.bytes = bytes;
    }

    @Override
    public CompletionStage<Void> prepare() {
      plan = store.planScan(range, order, rows);
      return store.awaitScan(plan);
    }

    @Override
    public ByteBuf read(Position readIndex) {
      // The state may be newer than the read index, and so is the position in the response.
      ScanCut cut = store.cut(range, order, rows, bytes, plan);
      ByteBuf frame = request.begin(Position.BYTES + DataFrames.size(cut.page()));
      DataFrames.writePosition(frame, cut.position());
      DataFrames.writePage(frame, cut.page());
      return frame;
    }
  }
}
