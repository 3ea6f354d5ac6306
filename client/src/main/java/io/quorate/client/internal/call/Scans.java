package io.quorate.client.internal.call;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.KeyValue;
import io.quorate.client.ScanResult;
import io.quorate.client.internal.connection.CallResults;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ScanOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reads ranges of rows page by page. Safe for use by multiple threads; nothing blocks. */
public final class Scans {
  /** A page reserves and requests these bytes for each row, so that small scans do not wait. */
  private static final int ROW_BYTES = 16 << 10;

  private static final int PAGE_BYTES_MIN = 64 << 10;
  private static final int PAGE_BYTES_MAX = 1 << 20;

  private final Caller caller;
  private final Namespace namespace;
  private final int pageBytesMax;

  /**
   * @param namespace of the ranges and rows
   */
  public Scans(Caller caller, Namespace namespace) {
    this.caller = caller;
    this.namespace = namespace;
    this.pageBytesMax =
        (int) Math.min(PAGE_BYTES_MAX, caller.context().options().inFlightBytesMax());
  }

  /** The bytes of a page of so many rows, which has fewer of them if they are larger. */
  private int pageBytes(int rows) {
    return (int) Math.min(pageBytesMax, Math.max(PAGE_BYTES_MIN, (long) rows * ROW_BYTES));
  }

  /** What one request asks for. */
  private record Page(
      KeyRange range, ScanOrder order, int rowsMax, int bytesMax, Guarantee guarantee) {
    /** The one that follows a page which is not the last one. */
    Page after(ScanResult former, int rows, int bytes) {
      return new Page(
          order.rest(range, former.continueAt().orElseThrow()), order, rows, bytes, guarantee);
    }
  }

  /** One page, with at least one row unless the range has none left. */
  public CompletableFuture<ScanResult> page(
      KeyRange range, ScanOrder order, int rowsMax, Guarantee guarantee, ObservedCall call) {
    return CallResults.of(
        next(new Page(range, order, rowsMax, pageBytes(rowsMax), guarantee), call));
  }

  private CompletableFuture<ScanResult> next(Page wanted, ObservedCall call) {
    ScanRequest request;
    try {
      request =
          new ScanRequest(
              ReadOptions.of(wanted.guarantee, caller.context().options()),
              namespace.range(wanted.range),
              wanted.order,
              wanted.rowsMax,
              wanted.bytesMax);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
    return caller
        .submit(request, call)
        .thenApply(namespace::page)
        .thenCompose(
            page ->
                page.rows().isEmpty() && page.continueAt().isPresent()
                    ? next(wanted.after(page, wanted.rowsMax, wanted.bytesMax), call)
                    : CompletableFuture.completedFuture(page));
  }

  /** The first rows of a range, fewer than {@code count} only if there are no more. */
  public CompletableFuture<List<KeyValue>> rows(
      KeyRange range, ScanOrder order, int count, Guarantee guarantee, ObservedCall call) {
    int rows = Math.min(count, AsyncQuorateClient.PAGE_ROWS_DEFAULT);
    Page first = new Page(range, order, rows, pageBytes(rows), guarantee);
    return CallResults.of(collect(first, count, new ArrayList<>(), call));
  }

  /**
   * @param missing the number of rows to be added
   */
  private CompletableFuture<List<KeyValue>> collect(
      Page wanted, int missing, List<KeyValue> rows, ObservedCall call) {
    return next(wanted, call)
        .thenCompose(
            page -> {
              int added = Math.min(missing, page.rows().size());
              rows.addAll(page.rows().subList(0, added));
              return added < missing && page.continueAt().isPresent()
                  ? collect(following(wanted, page, missing - added), missing - added, rows, call)
                  : CompletableFuture.completedFuture(rows);
            });
  }

  /** A page that ended early, perhaps because its rows are large, is followed by a larger one. */
  private Page following(Page former, ScanResult page, int missing) {
    int rows = Math.min(missing, AsyncQuorateClient.PAGE_ROWS_DEFAULT);
    int bytes = Math.max(pageBytes(rows), Math.min(2 * former.bytesMax, pageBytesMax));
    return former.after(page, rows, bytes);
  }
}
