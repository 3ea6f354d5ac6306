package io.quorate.torture.workload;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Batch;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.ScanResult;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.torture.history.Action;
import io.quorate.torture.history.Result;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Invokes the method of the client that performs an action. */
final class Calls {
  private final AsyncQuorateClient client;
  private final AsyncQuorateClient scanning;
  private final AtomicInteger scans = new AtomicInteger();

  Calls(AsyncQuorateClient client) {
    this.client = client;
    this.scanning = client.withGuarantee(Guarantee.LINEARIZABLE);
  }

  CompletableFuture<Result> of(Action action) {
    return switch (action.kind()) {
      case GET ->
          client.get(key(action)).thenApply(value -> new Result.Found(value.map(Calls::text)));
      case PUT -> done(client.put(key(action), bytes(((Action.Put) action).value())));
      case DELETE -> done(client.delete(key(action)));
      case COMPARE_AND_SET -> compareAndSet((Action.CompareAndSet) action);
      case INCREMENT -> done(client.increment(key(action), ((Action.Increment) action).delta()));
      case INCREMENT_AND_GET ->
          client
              .incrementAndGet(key(action), ((Action.IncrementAndGet) action).delta())
              .thenApply(Result.Sum::new);
      case APPEND -> done(client.append(key(action), bytes(((Action.Append) action).suffix())));
      case GET_AND_PUT ->
          client
              .getAndPut(key(action), bytes(((Action.GetAndPut) action).value()))
              .thenApply(before -> new Result.Found(before.map(Calls::text)));
      case BATCH -> done(client.batch(batch((Action.Batch) action)));
      case SCAN -> scan((Action.Scan) action);
    };
  }

  private static byte[] key(Action action) {
    return bytes(((Action.OnKey) action).key());
  }

  private CompletableFuture<Result> compareAndSet(Action.CompareAndSet cas) {
    byte[] key = bytes(cas.key());
    Optional<byte[]> expected = cas.expected().map(Calls::bytes);
    Optional<byte[]> replacement = cas.replacement().map(Calls::bytes);
    CompletableFuture<CompareAndSetResult<byte[]>> call;
    if (expected.isEmpty()) {
      call = client.putIfAbsent(key, replacement.orElseThrow());
    } else if (replacement.isEmpty()) {
      call = client.compareAndDelete(key, expected.get());
    } else {
      call = client.compareAndSet(key, expected.get(), replacement.get());
    }
    return call.thenApply(Calls::swap);
  }

  /** Every second scan is in reverse order. */
  private CompletableFuture<Result> scan(Action.Scan scan) {
    KeyRange range = KeyRange.of(Key.wrap(bytes(scan.from())), Key.wrap(bytes(scan.to())));
    int rowsMax = AsyncQuorateClient.PAGE_ROWS_DEFAULT;
    CompletableFuture<ScanResult> page =
        scans.getAndIncrement() % 2 == 0
            ? scanning.scanPage(range, rowsMax)
            : scanning.scanPageReverse(range, rowsMax);
    return page.thenApply(found -> rows(scan, found));
  }

  private static Result rows(Action.Scan scan, ScanResult page) {
    if (page.continueAt().isPresent()) {
      throw new IllegalStateException("The rows of " + scan + " do not fit in one page");
    }
    SortedMap<String, String> rows = new TreeMap<>();
    page.rows().forEach(row -> rows.put(text(row.key()), text(row.value())));
    return new Result.Rows(rows);
  }

  private static Batch batch(Action.Batch action) {
    Batch batch = new Batch();
    for (Action.Change change : action.changes()) {
      change
          .written()
          .ifPresentOrElse(
              value -> batch.put(bytes(change.key()), bytes(value)),
              () -> batch.delete(bytes(change.key())));
    }
    return batch;
  }

  private static Result swap(CompareAndSetResult<byte[]> result) {
    return new Result.Swap(
        result.swapped(), result.swapped() ? Optional.empty() : result.current().map(Calls::text));
  }

  private static CompletableFuture<Result> done(CompletableFuture<?> call) {
    return call.thenApply(ignored -> Result.DONE);
  }

  private static String text(byte[] bytes) {
    return LargeText.text(bytes);
  }

  private static byte[] bytes(String text) {
    return LargeText.bytes(text);
  }
}
