package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.operation.MalformedException;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A client whose calls answer later. Safe for use by many threads; one client is enough for a
 * process. No method blocks, except {@link #close}.
 *
 * <p><b>Errors.</b> A call that fails completes its future with a {@link QuorateException}; no
 * method throws one. A call is tried again, at other replicas and after growing pauses, until its
 * deadline ({@link ClientOptions#deadline}, {@link #withDeadline}). A write is sent under one
 * number however often it is tried, and takes effect once at most.
 *
 * <p><b>Bounds.</b> {@link ClientOptions#inFlightRequestsMax} calls and {@link
 * ClientOptions#inFlightBytesMax} bytes are worked on at once. More calls wait for their turn, up
 * to {@link ClientOptions#waitingRequestsMax} and {@link ClientOptions#waitingBytesMax}; beyond
 * that a call fails at once with {@link OverloadedException}.
 *
 * <p><b>Threads.</b> Futures complete on the client's only thread. What is chained to them without
 * an executor runs there and must not block. Cancelling a future does not stop the call.
 *
 * <p><b>Arrays</b> that are passed in are not copied: leave them alone until the call completes. An
 * array that is handed out belongs to the caller.
 *
 * <p><b>Order.</b> Calls in flight at the same time take effect in any order, also those of one
 * thread; wait for one before starting another that must come after it.
 */
public final class AsyncQuorateClient implements AutoCloseable {
  /** How many rows a page of a scan has at most, where nobody says otherwise. */
  public static final int PAGE_ROWS_DEFAULT = 1000;

  private static final int PAGE_BYTES_MAX = 1 << 20;

  private final ClientCore core;
  private final Guarantee guarantee;
  private final Duration deadline;
  private final int pageBytes;

  private AsyncQuorateClient(ClientCore core, Guarantee guarantee, Duration deadline) {
    this.core = core;
    this.guarantee = guarantee;
    this.deadline = deadline;
    this.pageBytes = (int) Math.min(PAGE_BYTES_MAX, core.options().inFlightBytesMax());
  }

  /** A client that connects when it is first used. */
  public static AsyncQuorateClient open(ClientOptions options) {
    return new AsyncQuorateClient(new ClientCore(options), options.guarantee(), options.deadline());
  }

  /**
   * The same client with another deadline for each call. Costs nothing to make; closing either
   * closes both.
   *
   * @param value above 0, at most {@link ClientOptions#DEADLINE_MAX}
   * @throws IllegalArgumentException if it is not
   */
  public AsyncQuorateClient withDeadline(Duration value) {
    ClientOptions.requireDeadline(value);
    return new AsyncQuorateClient(core, guarantee, value);
  }

  /**
   * The same client with another guarantee for the reads that do not name one. Costs nothing to
   * make; closing either closes both.
   */
  public AsyncQuorateClient withGuarantee(Guarantee value) {
    return new AsyncQuorateClient(core, value, deadline);
  }

  /**
   * Completes once the client knows the map of the cluster. Fails with {@link UnavailableException}
   * if it does not get it within the deadline, or with {@link IncompatibleException} if what
   * answers is not the cluster that is meant. Calls may be made before.
   */
  public CompletableFuture<Void> ready() {
    return core.onLoop(ClientCore::ready);
  }

  /** The value, or empty if there is none, under the guarantee of this client. */
  public CompletableFuture<Optional<byte[]>> get(byte[] key) {
    return get(key, guarantee);
  }

  /** The value, or empty if there is none. */
  public CompletableFuture<Optional<byte[]>> get(byte[] key, Guarantee needed) {
    try {
      return core.submit(
          new GetRequest(Key.wrap(key), ReadNeeds.of(needed, core.options())), deadline);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** The value as text; key and value in UTF-8. */
  public CompletableFuture<Optional<String>> get(String key) {
    return get(Utf8.bytes(key)).thenApply(value -> value.map(Utf8::text));
  }

  /**
   * Sets the value. Answers where the write stands in its region's order, which a later read of the
   * same region can name with {@link Guarantee.AtLeast}.
   */
  public CompletableFuture<Position> put(byte[] key, byte[] value) {
    return write(
        new Operation.Put(Key.wrap(key), ByteBuffer.wrap(value)), AsyncQuorateClient::done);
  }

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  public CompletableFuture<Position> put(String key, String value) {
    return put(Utf8.bytes(key), Utf8.bytes(value));
  }

  /** Sets the value if there is none. Answers whether it did. */
  public CompletableFuture<Boolean> putIfAbsent(byte[] key, byte[] value) {
    return compareAndSet(key, Optional.empty(), Optional.of(value))
        .thenApply(CompareAndSetResult::swapped);
  }

  /** As {@link #putIfAbsent(byte[], byte[])}, with key and value in UTF-8. */
  public CompletableFuture<Boolean> putIfAbsent(String key, String value) {
    return putIfAbsent(Utf8.bytes(key), Utf8.bytes(value));
  }

  /** Removes the key; no error if there is none. */
  public CompletableFuture<Position> delete(byte[] key) {
    return write(new Operation.Delete(Key.wrap(key)), AsyncQuorateClient::done);
  }

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  public CompletableFuture<Position> delete(String key) {
    return delete(Utf8.bytes(key));
  }

  /** Adds bytes at the end of the value. Changes nothing if the value would become too long. */
  public CompletableFuture<Position> append(byte[] key, byte[] suffix) {
    return write(
        new Operation.Append(Key.wrap(key), ByteBuffer.wrap(suffix)), AsyncQuorateClient::done);
  }

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  public CompletableFuture<Position> append(String key, String suffix) {
    return append(Utf8.bytes(key), Utf8.bytes(suffix));
  }

  /**
   * Adds to the number, a missing value counting as 0. Changes nothing, and does not say so, if the
   * value is not a number or the sum does not fit in 64 bits; {@link #incrementAndGet} does.
   */
  public CompletableFuture<Position> increment(byte[] key, long delta) {
    return write(new Operation.Increment(Key.wrap(key), delta), AsyncQuorateClient::done);
  }

  /** As {@link #increment(byte[], long)}, with the key in UTF-8. */
  public CompletableFuture<Position> increment(String key, long delta) {
    return increment(Utf8.bytes(key), delta);
  }

  /** As {@link #incrementAndGet(byte[], long)}, with the key in UTF-8. */
  public CompletableFuture<Long> incrementAndGet(String key, long delta) {
    return incrementAndGet(Utf8.bytes(key), delta);
  }

  /**
   * Adds to the number, a missing value counting as 0, and answers the sum. Fails with {@link
   * RefusedException} if the value is not a number or the sum does not fit in 64 bits.
   */
  public CompletableFuture<Long> incrementAndGet(byte[] key, long delta) {
    return incrementAndGet(key, delta, false);
  }

  /**
   * As {@link #incrementAndGet(byte[], long)}; or, with {@code splitResult}, by an {@link
   * #increment} and then a linearizable read. In a cluster that answers at commit the increment
   * then need not wait until it is applied. What changes:
   *
   * <ul>
   *   <li>The two are not atomic. The answer contains this increment, and also whatever others have
   *       done to the key until it is read: two callers may be answered the same number, and some
   *       numbers nobody. A key that is missing then counts as 0.
   *   <li>That the sum does not fit in 64 bits is not reported; nothing is changed, and the number
   *       there is the answer.
   *   <li>Once the increment is done and the read fails, or meets what is not a number, the call
   *       fails with {@link IndeterminateException}: the increment has happened, unless the value
   *       was no number then either.
   *   <li>Each of the two may take until the deadline.
   * </ul>
   */
  public CompletableFuture<Long> incrementAndGet(byte[] key, long delta, boolean splitResult) {
    return splitResult
        ? increment(key, delta).thenCompose(position -> sumAfterIncrement(key))
        : sumOfIncrement(key, delta);
  }

  private CompletableFuture<Long> sumAfterIncrement(byte[] key) {
    return get(key, linearizable())
        .handle(
            (value, failure) -> {
              if (failure != null) {
                throw incremented("its sum could not be read: " + failure.getMessage(), failure);
              }
              try {
                return value
                    .map(digits -> Long.valueOf(new String(digits, StandardCharsets.US_ASCII)))
                    .orElse(0L);
              } catch (NumberFormatException e) {
                throw incremented("the value is not a number now, or was none before.", e);
              }
            });
  }

  /** As this client has it, or the default where it has less. */
  private Guarantee linearizable() {
    return guarantee instanceof Guarantee.Linearizable
        ? guarantee
        : Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED;
  }

  private static IndeterminateException incremented(String but, Throwable cause) {
    IndeterminateException failure =
        new IndeterminateException("The increment is done, but " + but);
    failure.initCause(cause);
    return failure;
  }

  private CompletableFuture<Long> sumOfIncrement(byte[] key, long delta) {
    return write(
        new Operation.IncrementAndGet(Key.wrap(key), delta),
        (position, result) -> {
          if (result instanceof Result.Number number) {
            return number.value();
          }
          throw unexpected(result);
        });
  }

  /** Sets the value and answers what it was. */
  public CompletableFuture<Optional<byte[]>> getAndPut(byte[] key, byte[] value) {
    return write(
        new Operation.GetAndPut(Key.wrap(key), ByteBuffer.wrap(value)),
        (position, result) -> {
          if (result instanceof Result.Value before) {
            return before.value().map(AsyncQuorateClient::copy);
          }
          throw unexpected(result);
        });
  }

  /** As {@link #getAndPut(byte[], byte[])}, with key and values in UTF-8. */
  public CompletableFuture<Optional<String>> getAndPut(String key, String value) {
    return getAndPut(Utf8.bytes(key), Utf8.bytes(value))
        .thenApply(before -> before.map(Utf8::text));
  }

  /** Replaces the value if it is the expected one. Answers whether it did. */
  public CompletableFuture<Boolean> compareAndSet(byte[] key, byte[] expected, byte[] replacement) {
    return compareAndSet(key, Optional.of(expected), Optional.of(replacement))
        .thenApply(CompareAndSetResult::swapped);
  }

  /** As {@link #compareAndSet(byte[], byte[], byte[])}, with key and values in UTF-8. */
  public CompletableFuture<Boolean> compareAndSet(String key, String expected, String replacement) {
    return compareAndSet(Utf8.bytes(key), Utf8.bytes(expected), Utf8.bytes(replacement));
  }

  /**
   * Replaces the value if it is what is expected, and answers what it is otherwise.
   *
   * @param expected empty for "no value"
   * @param replacement empty to remove the key
   */
  public CompletableFuture<CompareAndSetResult> compareAndSet(
      byte[] key, Optional<byte[]> expected, Optional<byte[]> replacement) {
    return write(
        new Operation.CompareAndSet(
            Key.wrap(key), expected.map(ByteBuffer::wrap), replacement.map(ByteBuffer::wrap)),
        (position, result) -> {
          if (result instanceof Result.Swap swap) {
            return new CompareAndSetResult(
                swap.swapped(), swap.current().map(AsyncQuorateClient::copy));
          }
          throw unexpected(result);
        });
  }

  /**
   * Makes several changes of one region together. Fails with {@link InvalidRequestException},
   * before anything is sent, if the keys lie in more than one region.
   */
  public CompletableFuture<Position> batch(Batch batch) {
    try {
      return core.submit(WriteRequest.of(batch.operation(), AsyncQuorateClient::done), deadline);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * The first page of the keys from {@code start}, inclusive, to {@code end}, exclusive. Where the
   * page is not the last, go on from {@link ScanResult#continueAt}.
   *
   * @param start may be empty: from the lowest key
   */
  public CompletableFuture<ScanResult> scan(byte[] start, byte[] end) {
    return scanPage(start, Optional.of(end), PAGE_ROWS_DEFAULT, guarantee);
  }

  /**
   * The first rows from {@code start} on, fewer than {@code count} only if there are no more. Rows
   * of different pages may be of different moments. Holds all rows in memory.
   *
   * @param start may be empty: from the lowest key
   * @param count 1 or more
   */
  public CompletableFuture<List<KeyValue>> scan(byte[] start, int count) {
    return scan(start, count, guarantee);
  }

  /** As {@link #scan(byte[], int)}, with a guarantee for each page. */
  public CompletableFuture<List<KeyValue>> scan(byte[] start, int count, Guarantee needed) {
    return collect(KeyRange.from(Key.wrap(start)), count, needed, new ArrayList<>());
  }

  /**
   * The first rows whose keys begin with {@code prefix}, fewer than {@code count} only if there are
   * no more. Rows of different pages may be of different moments. Holds all rows in memory.
   *
   * @param count 1 or more
   */
  public CompletableFuture<List<KeyValue>> scanPrefix(byte[] prefix, int count) {
    return collect(KeyRange.ofPrefix(Key.wrap(prefix)), count, guarantee, new ArrayList<>());
  }

  /** As {@link #scanPrefix(byte[], int)}, with the prefix in UTF-8. */
  public CompletableFuture<List<KeyValue>> scanPrefix(String prefix, int count) {
    return scanPrefix(Utf8.bytes(prefix), count);
  }

  /**
   * One page of a scan, which is one consistent cut of one region. Has at least one row unless the
   * range has none left. The deadline is for each region that is asked.
   *
   * @param start may be empty: from the lowest key
   * @param end the first key beyond the range; empty for "to the last key"
   * @param rowsMax 1 or more; pages may have fewer rows and yet not be the last
   */
  public CompletableFuture<ScanResult> scanPage(
      byte[] start, Optional<byte[]> end, int rowsMax, Guarantee needed) {
    Key from = Key.wrap(start);
    Optional<Key> to = end.map(Key::wrap);
    if (to.isPresent() && to.get().compareTo(from) < 0) {
      return CompletableFuture.failedFuture(
          new InvalidRequestException(
              "A scan's start is at or before its end; start "
                  + from
                  + " is after end "
                  + to.get()
                  + "."));
    }
    ScanRequest request;
    try {
      request =
          new ScanRequest(
              ReadNeeds.of(needed, core.options()), new KeyRange(from, to), rowsMax, pageBytes);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
    return core.submit(request, deadline)
        .thenCompose(
            page ->
                page.rows().isEmpty() && page.continueAt().isPresent()
                    ? scanPage(page.continueAt().get(), end, rowsMax, needed)
                    : CompletableFuture.completedFuture(page));
  }

  /**
   * What each node says about itself. Never fails because of a node; nodes that cannot be reached
   * are reported as such.
   */
  public CompletableFuture<ClusterStatus> status() {
    return core.onLoop(StatusSurvey::of);
  }

  /**
   * Hands leadership of a region to another of its replicas, for operators. Writes to the region
   * wait meanwhile. Completes once the target leads; where it does already, nothing is done.
   *
   * <p>Fails with {@link UnavailableException} if the region has no leader now, if the target is
   * away or behind, or if no response came in time: then leadership may have moved, which {@link
   * #status} shows. Fails with {@link InvalidRequestException} if there is no such region, if the
   * target has no replica of it, or if regions of the cluster have no leader.
   *
   * @param region 0 is the region of the cluster's own metadata
   */
  public CompletableFuture<Void> transferLeader(GroupId region, NodeId target) {
    return core.onLoop(own -> LeaderTransfer.of(own, region, target, deadline));
  }

  /** The same client, with calls that block. Closing either closes both. */
  public QuorateClient blocking() {
    return new QuorateClient(this);
  }

  /**
   * Ends every call that is under way and releases what the client holds. Writes that have been
   * sent end with {@link IndeterminateException}, everything else with {@link
   * ClientClosedException}. Blocks for as long as closing connections takes. A second call does
   * nothing.
   */
  @Override
  public void close() {
    core.close();
  }

  /**
   * Whether the caller runs on the thread that completes futures, and so must not wait for them.
   */
  boolean isOnLoop() {
    return core.isOnLoop();
  }

  /** Runs something on the event loop, from any thread. */
  <T> CompletableFuture<T> onLoop(Function<ClientCore, CompletableFuture<T>> task) {
    return core.onLoop(task);
  }

  Guarantee guarantee() {
    return guarantee;
  }

  private <T> CompletableFuture<T> write(Operation.OnKey operation, WriteRequest.Reader<T> reader) {
    try {
      return core.submit(WriteRequest.of(operation, reader), deadline);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private CompletableFuture<List<KeyValue>> collect(
      KeyRange range, int count, Guarantee needed, List<KeyValue> rows) {
    int wanted = count - rows.size();
    int pageRows = count > 0 ? Math.min(wanted, PAGE_ROWS_DEFAULT) : count;
    return scanPage(range.start().bytes(), range.end().map(Key::bytes), pageRows, needed)
        .thenCompose(
            page -> {
              rows.addAll(page.rows().subList(0, Math.min(wanted, page.rows().size())));
              return rows.size() < count && page.continueAt().isPresent()
                  ? collect(
                      new KeyRange(Key.wrap(page.continueAt().get()), range.end()),
                      count,
                      needed,
                      rows)
                  : CompletableFuture.completedFuture(rows);
            });
  }

  private static Position done(Position position, Result result) {
    if (result instanceof Result.Done) {
      return position;
    }
    throw unexpected(result);
  }

  private static MalformedException unexpected(Result result) {
    return new MalformedException(
        "the result " + result.getClass().getSimpleName() + " does not fit the operation");
  }

  private static byte[] copy(ByteBuffer value) {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }
}
