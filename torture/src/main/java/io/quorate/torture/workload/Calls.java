package io.quorate.torture.workload;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Batch;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.ScanResult;
import io.quorate.consensus.Guarantee;
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
  private final AtomicInteger scans = new AtomicInteger();

  Calls(AsyncQuorateClient client) {
    this.client = client;
  }

  CompletableFuture<Result> of(Action action) {
    if (action instanceof Action.Scan scan) {
      return scan(scan);
    } else if (action instanceof Action.Batch batch) {
      return done(client.batch(batch(batch)));
    } else if (action instanceof Action.OnKey onKey) {
      return onKey(onKey);
    }
    throw new IllegalArgumentException("There is no call for " + action);
  }

  private CompletableFuture<Result> onKey(Action.OnKey action) {
    byte[] key = bytes(action.key());
    if (action instanceof Action.Get) {
      return client.get(key).thenApply(value -> new Result.Found(text(value)));
    } else if (action instanceof Action.Put put) {
      return done(client.put(key, bytes(put.value())));
    } else if (action instanceof Action.Delete) {
      return done(client.delete(key));
    } else if (action instanceof Action.Append append) {
      return done(client.append(key, bytes(append.suffix())));
    } else if (action instanceof Action.Increment increment) {
      return done(client.increment(key, increment.delta()));
    } else if (action instanceof Action.IncrementAndGet increment) {
      return client.incrementAndGet(key, increment.delta()).thenApply(Result.Sum::new);
    } else if (action instanceof Action.GetAndPut put) {
      return client
          .getAndPut(key, bytes(put.value()))
          .thenApply(before -> new Result.Found(text(before)));
    } else if (action instanceof Action.CompareAndSet swap) {
      return client
          .compareAndSet(
              key, swap.expected().map(Calls::bytes), swap.replacement().map(Calls::bytes))
          .thenApply(Calls::swap);
    }
    throw new IllegalArgumentException("There is no call for " + action);
  }

  /** Every second scan is in reverse order. */
  private CompletableFuture<Result> scan(Action.Scan scan) {
    byte[] from = bytes(scan.from());
    Optional<byte[]> to = Optional.of(bytes(scan.to()));
    int rowsMax = AsyncQuorateClient.PAGE_ROWS_DEFAULT;
    CompletableFuture<ScanResult> page =
        scans.getAndIncrement() % 2 == 0
            ? client.scanPage(from, to, rowsMax, Guarantee.LINEARIZABLE)
            : client.scanPageReverse(from, to, rowsMax, Guarantee.LINEARIZABLE);
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
      if (change instanceof Action.Put put) {
        batch.put(bytes(put.key()), bytes(put.value()));
      } else {
        batch.delete(bytes(change.key()));
      }
    }
    return batch;
  }

  private static Result swap(CompareAndSetResult result) {
    return new Result.Swap(
        result.swapped(), result.swapped() ? Optional.empty() : text(result.current()));
  }

  private static CompletableFuture<Result> done(CompletableFuture<?> call) {
    return call.thenApply(ignored -> Result.DONE);
  }

  private static Optional<String> text(Optional<byte[]> value) {
    return value.map(Calls::text);
  }

  private static String text(byte[] bytes) {
    return LargeText.text(bytes);
  }

  private static byte[] bytes(String text) {
    return LargeText.bytes(text);
  }
}
