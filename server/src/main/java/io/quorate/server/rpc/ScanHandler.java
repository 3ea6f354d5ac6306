package io.quorate.server.rpc;

import io.netty.buffer.ByteBuf;
import io.quorate.consensus.BodyReplication;
import io.quorate.consensus.KeyScope;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.wire.DataFrames;
import io.quorate.protocol.wire.Routing;
import io.quorate.server.config.LimitsConfig;
import io.quorate.server.rpc.request.Request;
import io.quorate.server.rpc.request.RequestHandler;
import io.quorate.server.topology.LocalReplica;
import io.quorate.storage.RegionStore;
import io.quorate.storage.read.ScanCut;
import io.quorate.storage.read.ScanPlan;
import io.quorate.storage.read.StoredCut;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Serves scans in one order, one page at a time, within one region. */
final class ScanHandler implements RequestHandler {
  private final ScanOrder order;
  private final RegionLookup regionLookup;
  private final LimitsConfig limits;
  private final ReadExecutor reads;
  private final Duration retryAfter;

  ScanHandler(
      ScanOrder order,
      RegionLookup regionLookup,
      LimitsConfig limits,
      ReadExecutor reads,
      Duration retryAfter) {
    this.order = order;
    this.regionLookup = regionLookup;
    this.limits = limits;
    this.reads = reads;
    this.retryAfter = retryAfter;
  }

  @Override
  public void handle(Request request) {
    Routing routing = DataFrames.readRouting(request.body());
    DataFrames.Scan scan = DataFrames.readScan(request.body());
    LocalReplica region = regionLookup.route(request, routing, scan.range(), order);
    KeyRange range = scan.range().intersect(region.assignment().range());
    int rows = Math.min(scan.rowsMax(), limits.scanRows());
    int bytes = Math.min(scan.bytesMax(), limits.scanBytes());
    reads.serve(
        request,
        routing,
        region,
        scan.guarantee(),
        KeyScope.range(range),
        region
            .bodies()
            .<ReadExecutor.Reader<Position>>map(
                bodies ->
                    new BodyScan(
                        request,
                        new Page(region.store(), range, order, rows, bytes),
                        bodies,
                        retryAfter))
            .orElseGet(
                () ->
                    new PlannedScan(request, new Page(region.store(), range, order, rows, bytes))));
  }

  /** The rows that a request scans. */
  private record Page(RegionStore store, KeyRange range, ScanOrder order, int rows, int bytes) {}

  /**
   * A scan in two steps on reader threads: the first one plans, the second one reads. Between them
   * the scan waits if the cost model prefers that. The plan is made when everything that the scan
   * must see is readable, so that every later read sees it too (B2, B8).
   */
  private static final class PlannedScan implements ReadExecutor.Reader<Position> {
    private final Request request;
    private final Page page;
    private ScanPlan plan = ScanPlan.MERGE;

    PlannedScan(Request request, Page page) {
      this.request = request;
      this.page = page;
    }

    @Override
    public CompletionStage<Void> prepare() {
      plan = page.store().planScan(page.range(), page.order(), page.rows());
      return page.store().awaitScan(plan);
    }

    @Override
    public ByteBuf read(Position readIndex) {
      // The state may be newer than the read index, and so is the position in the response.
      return frame(
          request, page.store().cut(page.range(), page.order(), page.rows(), page.bytes(), plan));
    }
  }

  /** A scan of values that may be bodies: first the rows of a page, then their bodies. */
  private static final class BodyScan implements ReadExecutor.Reader<Position> {
    private final Request request;
    private final Page page;
    private final BodyReplication bodies;
    private final Duration retryAfter;

    /** Set before {@link #read}. */
    private ScanCut cut;

    BodyScan(Request request, Page page, BodyReplication bodies, Duration retryAfter) {
      this.request = request;
      this.page = page;
      this.bodies = bodies;
      this.retryAfter = retryAfter;
    }

    @Override
    public CompletionStage<Void> prepare() {
      StoredCut stored =
          page.store()
              .cutStored(page.range(), page.order(), page.rows(), page.bytes(), ScanPlan.MERGE);
      if (!request.tryReserve(StoredValues.length(stored))) {
        return CompletableFuture.failedFuture(StoredValues.tooLarge(retryAfter));
      }
      return StoredValues.page(stored, bodies)
          .thenAccept(read -> cut = new ScanCut(read, stored.position()));
    }

    @Override
    public ByteBuf read(Position readIndex) {
      return frame(request, cut);
    }
  }

  private static ByteBuf frame(Request request, ScanCut cut) {
    ByteBuf frame = request.begin(Position.BYTES + DataFrames.size(cut.page()));
    DataFrames.writePosition(frame, cut.position());
    DataFrames.writePage(frame, cut.page());
    return frame;
  }
}
