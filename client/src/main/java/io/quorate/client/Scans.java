package io.quorate.client;

import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.operation.ScanOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Reads ranges of rows page by page. Safe for use by multiple threads; nothing blocks. */
final class Scans {
  private static final int PAGE_BYTES_MAX = 1 << 20;

  private final ClientContext context;
  private final Duration deadline;
  private final int pageBytes;

  /**
   * @param deadline of each page
   */
  Scans(ClientContext context, Duration deadline) {
    this.context = context;
    this.deadline = deadline;
    this.pageBytes = (int) Math.min(PAGE_BYTES_MAX, context.options().inFlightBytesMax());
  }

  /**
   * A range that a caller requests.
   *
   * @throws InvalidRequestException if it ends before it starts
   */
  static KeyRange range(byte[] start, Optional<byte[]> end) {
    Key from = Key.wrap(start);
    Optional<Key> to = end.map(Key::wrap);
    if (to.isPresent() && to.get().compareTo(from) < 0) {
      throw new InvalidRequestException(
          "A scan's start is at or before its end; start "
              + from
              + " is after end "
              + to.get()
              + ".");
    }
    return new KeyRange(from, to);
  }

  /** One page, with at least one row unless the range has none left. */
  CompletableFuture<ScanResult> page(
      KeyRange range, ScanOrder order, int rowsMax, Guarantee guarantee) {
    ScanRequest request;
    try {
      request =
          new ScanRequest(
              ReadOptions.of(guarantee, context.options()), range, order, rowsMax, pageBytes);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
    return context
        .submit(request, deadline)
        .thenCompose(
            page ->
                page.rows().isEmpty() && page.continueAt().isPresent()
                    ? page(rest(range, order, page), order, rowsMax, guarantee)
                    : CompletableFuture.completedFuture(page));
  }

  /** The part of a range that follows a page which is not the last one. */
  static KeyRange rest(KeyRange range, ScanOrder order, ScanResult page) {
    return order.rest(range, Key.wrap(page.continueAt().orElseThrow()));
  }

  /** The first rows of a range, fewer than {@code count} only if there are no more. */
  CompletableFuture<List<KeyValue>> rows(
      KeyRange range, ScanOrder order, int count, Guarantee guarantee) {
    return collect(range, order, count, guarantee, new ArrayList<>());
  }

  private CompletableFuture<List<KeyValue>> collect(
      KeyRange range, ScanOrder order, int count, Guarantee guarantee, List<KeyValue> rows) {
    int wanted = count - rows.size();
    int pageRows = count > 0 ? Math.min(wanted, AsyncQuorateClient.PAGE_ROWS_DEFAULT) : count;
    return page(range, order, pageRows, guarantee)
        .thenCompose(
            page -> {
              rows.addAll(page.rows().subList(0, Math.min(wanted, page.rows().size())));
              return rows.size() < count && page.continueAt().isPresent()
                  ? collect(rest(range, order, page), order, count, guarantee, rows)
                  : CompletableFuture.completedFuture(rows);
            });
  }
}
