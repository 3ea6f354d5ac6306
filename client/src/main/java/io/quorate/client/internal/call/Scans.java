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
  private static final int PAGE_BYTES_MAX = 1 << 20;

  private final Caller caller;
  private final Namespace namespace;
  private final int pageBytes;

  /**
   * @param namespace of the ranges and rows
   */
  public Scans(Caller caller, Namespace namespace) {
    this.caller = caller;
    this.namespace = namespace;
    this.pageBytes = (int) Math.min(PAGE_BYTES_MAX, caller.context().options().inFlightBytesMax());
  }

  /** One page, with at least one row unless the range has none left. */
  public CompletableFuture<ScanResult> page(
      KeyRange range, ScanOrder order, int rowsMax, Guarantee guarantee, ObservedCall call) {
    return CallResults.of(next(range, order, rowsMax, guarantee, call));
  }

  private CompletableFuture<ScanResult> next(
      KeyRange range, ScanOrder order, int rowsMax, Guarantee guarantee, ObservedCall call) {
    ScanRequest request;
    try {
      request =
          new ScanRequest(
              ReadOptions.of(guarantee, caller.context().options()),
              namespace.range(range),
              order,
              rowsMax,
              pageBytes);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
    return caller
        .submit(request, call)
        .thenApply(namespace::page)
        .thenCompose(
            page ->
                page.rows().isEmpty() && page.continueAt().isPresent()
                    ? next(rest(range, order, page), order, rowsMax, guarantee, call)
                    : CompletableFuture.completedFuture(page));
  }

  /** The part of a range that follows a page which is not the last one. */
  static KeyRange rest(KeyRange range, ScanOrder order, ScanResult page) {
    return order.rest(range, page.continueAt().orElseThrow());
  }

  /** The first rows of a range, fewer than {@code count} only if there are no more. */
  public CompletableFuture<List<KeyValue>> rows(
      KeyRange range, ScanOrder order, int count, Guarantee guarantee, ObservedCall call) {
    return CallResults.of(collect(range, order, count, guarantee, new ArrayList<>(), call));
  }

  private CompletableFuture<List<KeyValue>> collect(
      KeyRange range,
      ScanOrder order,
      int count,
      Guarantee guarantee,
      List<KeyValue> rows,
      ObservedCall call) {
    int wanted = count - rows.size();
    int pageRows = count > 0 ? Math.min(wanted, AsyncQuorateClient.PAGE_ROWS_DEFAULT) : count;
    return next(range, order, pageRows, guarantee, call)
        .thenCompose(
            page -> {
              rows.addAll(page.rows().subList(0, Math.min(wanted, page.rows().size())));
              return rows.size() < count && page.continueAt().isPresent()
                  ? collect(rest(range, order, page), order, count, guarantee, rows, call)
                  : CompletableFuture.completedFuture(rows);
            });
  }
}
