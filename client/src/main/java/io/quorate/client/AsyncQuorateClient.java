package io.quorate.client;

import io.quorate.client.wire.v1.StatusRequest;
import io.quorate.common.DecodeException;
import io.quorate.connect.AddressRace;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.operation.Operation;
import io.quorate.operation.Result;
import io.quorate.operation.ScanOrder;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * A client whose calls return a {@link CompletableFuture}. An instance is safe for use by multiple
 * threads; one instance per process is enough. No method blocks, except {@link #close}.
 *
 * <p><b>Errors.</b> A call that fails completes its future with a {@link QuorateException}; no
 * method throws one. A call is retried, at other replicas and with exponential backoff, until its
 * deadline ({@link ClientOptions#deadline}, {@link #withDeadline}). All attempts at a write carry
 * the same request id, by which the servers deduplicate them, so that the write takes effect at
 * most once.
 *
 * <p><b>Flow control.</b> At most {@link ClientOptions#inFlightRequestsMax} calls with {@link
 * ClientOptions#inFlightBytesMax} bytes are in flight at the same time. Further calls wait in a
 * queue, up to {@link ClientOptions#waitingRequestsMax} calls and {@link
 * ClientOptions#waitingBytesMax} bytes; beyond these bounds a call fails immediately with {@link
 * OverloadedException}.
 *
 * <p><b>Threads.</b> Futures complete on the client's only thread, its event loop. A dependent
 * stage without an executor of its own runs on that thread and must not block. Cancelling a future
 * does not stop the call.
 *
 * <p><b>Arrays.</b> Arrays that are passed as arguments are not copied; do not modify them before
 * the call completes. An array that is returned belongs to the caller.
 *
 * <p><b>Order.</b> Concurrent calls may take effect in any order, even if one thread made them.
 * Wait for a call to complete before making another one that must take effect after it.
 */
public final class AsyncQuorateClient implements AutoCloseable {
  /** The maximum number of rows in a page of a scan, unless the caller specifies another. */
  public static final int PAGE_ROWS_DEFAULT = 1000;

  private final ClientContext context;
  private final Guarantee guarantee;
  private final Duration deadline;
  private final Scans scans;

  private AsyncQuorateClient(ClientContext context, Guarantee guarantee, Duration deadline) {
    this.context = context;
    this.guarantee = guarantee;
    this.deadline = deadline;
    this.scans = new Scans(context, deadline);
  }

  /** Creates a client. It does not connect before it is first used. */
  public static AsyncQuorateClient open(ClientOptions options) {
    return open(options, AddressRace.Lookup.SYSTEM);
  }

  /** With another name service than that of this machine. */
  static AsyncQuorateClient open(ClientOptions options, AddressRace.Lookup names) {
    return new AsyncQuorateClient(
        new ClientContext(options, names), options.guarantee(), options.deadline());
  }

  /**
   * Returns a view of this client with another deadline for each call. The view shares everything
   * with this client and is cheap to create; closing either closes both.
   *
   * @param value more than 0, at most {@link ClientOptions#DEADLINE_MAX}
   * @throws IllegalArgumentException if {@code value} is out of these bounds
   */
  public AsyncQuorateClient withDeadline(Duration value) {
    ClientOptions.requireDeadline(value);
    return new AsyncQuorateClient(context, guarantee, value);
  }

  /**
   * Returns a view of this client with another guarantee for the reads that do not specify one. The
   * view shares everything with this client and is cheap to create; closing either closes both.
   */
  public AsyncQuorateClient withGuarantee(Guarantee value) {
    return new AsyncQuorateClient(context, value, deadline);
  }

  /**
   * Completes once the client has received the topology of the cluster. Fails with {@link
   * UnavailableException} if it receives none within {@link ClientOptions#deadline}, or with {@link
   * IncompatibleException} if every address leads to another cluster, to another version of the
   * protocol, or to a server that is not Quorate, or if the addresses are those of nodes of two
   * clusters. Calls may be made before the client is ready.
   */
  public CompletableFuture<Void> ready() {
    return context.onLoop(ReadyCall::of);
  }

  /** Returns the value, or empty if there is none, read with the guarantee of this client. */
  public CompletableFuture<Optional<byte[]>> get(byte[] key) {
    return get(key, guarantee);
  }

  /** Returns the value, or empty if there is none, read with the given guarantee. */
  public CompletableFuture<Optional<byte[]>> get(byte[] key, Guarantee readGuarantee) {
    try {
      return context.submit(
          new GetRequest(Key.wrap(key), ReadOptions.of(readGuarantee, context.options())),
          deadline);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** As {@link #get(byte[])}, with key and value in UTF-8. */
  public CompletableFuture<Optional<String>> get(String key) {
    return get(Utf8.bytes(key)).thenApply(value -> value.map(Utf8::text));
  }

  /**
   * Sets the value. Returns the position of the write in the order of its region; a later read of
   * the same region can require that position with {@link Guarantee.AtLeast}.
   */
  public CompletableFuture<Position> put(byte[] key, byte[] value) {
    return write(
        new Operation.Put(Key.wrap(key), ByteBuffer.wrap(value)), AsyncQuorateClient::done);
  }

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  public CompletableFuture<Position> put(String key, String value) {
    return put(Utf8.bytes(key), Utf8.bytes(value));
  }

  /** Sets the value if there is none. Returns whether the value was set. */
  public CompletableFuture<Boolean> putIfAbsent(byte[] key, byte[] value) {
    return compareAndSet(key, Optional.empty(), Optional.of(value))
        .thenApply(CompareAndSetResult::swapped);
  }

  /** As {@link #putIfAbsent(byte[], byte[])}, with key and value in UTF-8. */
  public CompletableFuture<Boolean> putIfAbsent(String key, String value) {
    return putIfAbsent(Utf8.bytes(key), Utf8.bytes(value));
  }

  /** Removes the key. A missing key is not an error. Returns the position of the write. */
  public CompletableFuture<Position> delete(byte[] key) {
    return write(new Operation.Delete(Key.wrap(key)), AsyncQuorateClient::done);
  }

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  public CompletableFuture<Position> delete(String key) {
    return delete(Utf8.bytes(key));
  }

  /**
   * Appends bytes to the value. Changes nothing if the value would become too long. Returns the
   * position of the write.
   */
  public CompletableFuture<Position> append(byte[] key, byte[] suffix) {
    return write(
        new Operation.Append(Key.wrap(key), ByteBuffer.wrap(suffix)), AsyncQuorateClient::done);
  }

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  public CompletableFuture<Position> append(String key, String suffix) {
    return append(Utf8.bytes(key), Utf8.bytes(suffix));
  }

  /**
   * Adds to the number; a missing value counts as 0. Returns the position of the write. If the
   * value is not a number, or the sum does not fit in 64 bits, the increment changes nothing and
   * reports no error; {@link #incrementAndGet} reports these errors.
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
   * Adds to the number, where a missing value counts as 0, and returns the sum. Fails with {@link
   * RefusedException} if the value is not a number or the sum does not fit in 64 bits.
   */
  public CompletableFuture<Long> incrementAndGet(byte[] key, long delta) {
    return incrementAndGet(key, delta, false);
  }

  /**
   * As {@link #incrementAndGet(byte[], long)}, or, if {@code splitResult} is true, an {@link
   * #increment} followed by a linearizable read. In a cluster that responds at commit, the
   * increment then does not wait until it is applied. A split call differs as follows:
   *
   * <ul>
   *   <li>The increment and the read are not atomic. The result contains this increment and all
   *       other changes of the key up to the read: two callers may receive the same number, and
   *       some numbers no caller receives. A key that is missing at the time of the read counts as
   *       0.
   *   <li>A sum that does not fit in 64 bits is not reported: the increment changes nothing, and
   *       the present number is the result.
   *   <li>If the increment succeeds and the read fails or finds a value that is not a number, the
   *       call fails with {@link IndeterminateException}: the increment has taken effect, unless
   *       the value was not a number at that time either.
   *   <li>The increment and the read each have the whole deadline.
   * </ul>
   */
  public CompletableFuture<Long> incrementAndGet(byte[] key, long delta, boolean splitResult) {
    return splitResult
        ? increment(key, delta)
            .thenCompose(
                position ->
                    get(key, SplitIncrement.guarantee(guarantee)).handle(SplitIncrement::sum))
        : sumOfIncrement(key, delta);
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

  /** Sets the value and returns the previous one, or empty if there was none. */
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

  /** Replaces the value if it equals the expected one. Returns whether it was replaced. */
  public CompletableFuture<Boolean> compareAndSet(byte[] key, byte[] expected, byte[] replacement) {
    return compareAndSet(key, Optional.of(expected), Optional.of(replacement))
        .thenApply(CompareAndSetResult::swapped);
  }

  /** As {@link #compareAndSet(byte[], byte[], byte[])}, with key and values in UTF-8. */
  public CompletableFuture<Boolean> compareAndSet(String key, String expected, String replacement) {
    return compareAndSet(Utf8.bytes(key), Utf8.bytes(expected), Utf8.bytes(replacement));
  }

  /**
   * Replaces the value if it equals the expected one; otherwise returns the present value.
   *
   * @param expected the value that must be present; empty to require that there is none
   * @param replacement the new value; empty to remove the key
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
   * Applies the changes of a batch atomically. Returns the position of the write. Fails with {@link
   * InvalidRequestException}, before any request is sent, if the keys lie in more than one region.
   */
  public CompletableFuture<Position> batch(Batch batch) {
    try {
      return context.submit(WriteRequest.of(batch.operation(), AsyncQuorateClient::done), deadline);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Returns the first page of the rows from {@code start}, inclusive, to {@code end}, exclusive. If
   * the page is not the last one, the next one starts at {@link ScanResult#continueAt}.
   *
   * @param start the first key of the range; empty for the lowest key
   */
  public CompletableFuture<ScanResult> scan(byte[] start, byte[] end) {
    return scanPage(start, Optional.of(end), PAGE_ROWS_DEFAULT, guarantee);
  }

  /**
   * Returns the first rows from {@code start} on, fewer than {@code count} only if there are no
   * more. Rows of different pages may reflect different moments. All rows are held in memory.
   *
   * @param start the first key of the range; empty for the lowest key
   * @param count the number of rows; 1 or more
   */
  public CompletableFuture<List<KeyValue>> scan(byte[] start, int count) {
    return scan(start, count, guarantee);
  }

  /** As {@link #scan(byte[], int)}, with the given guarantee for each page. */
  public CompletableFuture<List<KeyValue>> scan(byte[] start, int count, Guarantee readGuarantee) {
    return scans.rows(KeyRange.from(Key.wrap(start)), ScanOrder.FORWARD, count, readGuarantee);
  }

  /**
   * Returns the first rows whose keys begin with {@code prefix}, fewer than {@code count} only if
   * there are no more. Rows of different pages may reflect different moments. All rows are held in
   * memory.
   *
   * @param prefix the prefix; empty for all keys
   * @param count the number of rows; 1 or more
   */
  public CompletableFuture<List<KeyValue>> scanPrefix(byte[] prefix, int count) {
    return scans.rows(KeyRange.ofPrefix(Key.wrap(prefix)), ScanOrder.FORWARD, count, guarantee);
  }

  /** As {@link #scanPrefix(byte[], int)}, with the prefix in UTF-8. */
  public CompletableFuture<List<KeyValue>> scanPrefix(String prefix, int count) {
    return scanPrefix(Utf8.bytes(prefix), count);
  }

  /** As {@link #scanPrefix(byte[], int)}, with the highest keys, in reverse order. */
  public CompletableFuture<List<KeyValue>> scanPrefixReverse(byte[] prefix, int count) {
    return scans.rows(KeyRange.ofPrefix(Key.wrap(prefix)), ScanOrder.REVERSE, count, guarantee);
  }

  /** As {@link #scanPrefixReverse(byte[], int)}, with the prefix in UTF-8. */
  public CompletableFuture<List<KeyValue>> scanPrefixReverse(String prefix, int count) {
    return scanPrefixReverse(Utf8.bytes(prefix), count);
  }

  /**
   * Returns one page of a scan, which is a consistent cut of one region. The page has at least one
   * row unless the range has none left. The deadline applies to each region that is read.
   *
   * @param start the first key of the range; empty for the lowest key
   * @param end the exclusive end of the range; empty for no upper bound
   * @param rowsMax the maximum number of rows, 1 or more; a page may have fewer rows without being
   *     the last
   * @param readGuarantee the guarantee of the read
   */
  public CompletableFuture<ScanResult> scanPage(
      byte[] start, Optional<byte[]> end, int rowsMax, Guarantee readGuarantee) {
    return page(start, end, ScanOrder.FORWARD, rowsMax, readGuarantee);
  }

  /**
   * As {@link #scanPage}, in reverse order: the page has the highest keys of the range, and the
   * next one ends, exclusively, at {@link ScanResult#continueAt}.
   */
  public CompletableFuture<ScanResult> scanPageReverse(
      byte[] start, Optional<byte[]> end, int rowsMax, Guarantee readGuarantee) {
    return page(start, end, ScanOrder.REVERSE, rowsMax, readGuarantee);
  }

  private CompletableFuture<ScanResult> page(
      byte[] start, Optional<byte[]> end, ScanOrder order, int rowsMax, Guarantee readGuarantee) {
    try {
      return scans.page(Scans.range(start, end), order, rowsMax, readGuarantee);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Returns the state that each node reports about itself, waiting for each for {@link
   * ClientOptions#attemptTimeout}. A node that cannot be reached is listed with the reason. Fails
   * with {@link IncompatibleException} if the addresses are those of nodes of two clusters, or of
   * no node at all.
   */
  public CompletableFuture<ClusterStatus> status() {
    return context.onLoop(
        loop -> ClusterStatusCollector.of(loop, StatusRequest.getDefaultInstance()));
  }

  /** As {@link #status()}, waiting for each node for this time, more than 0. */
  public CompletableFuture<ClusterStatus> status(Duration timeout) {
    ClientOptions.requireDeadline(timeout);
    return context.onLoop(
        loop -> ClusterStatusCollector.of(loop, StatusRequest.getDefaultInstance(), timeout));
  }

  /** Returns the operations on the regions of the cluster, with the deadline of this client. */
  public RegionAdministration regions() {
    return new RegionAdministration(this, deadline);
  }

  /** Returns the operations on the nodes of the cluster, with the deadline of this client. */
  public NodeAdministration nodes() {
    return new NodeAdministration(this, deadline, false);
  }

  /** Returns a view of this client whose calls block. Closing either closes both. */
  public QuorateClient blocking() {
    return new QuorateClient(this);
  }

  /**
   * Ends every call in progress and closes every connection. Writes that were sent fail with {@link
   * IndeterminateException}, all other calls with {@link ClientClosedException}. If the client has
   * written, the cluster is told before, for half a second at most, that it need not remember the
   * writes. Blocks until the connections are closed, except on the client's own thread. A second
   * invocation has no effect.
   */
  @Override
  public void close() {
    context.close();
  }

  /**
   * Returns whether the current thread is the event loop, which completes the futures and therefore
   * must not wait for them.
   */
  boolean isOnLoop() {
    return context.isOnLoop();
  }

  /** Runs a task on the event loop. May be called by any thread. */
  <T> CompletableFuture<T> onLoop(Function<ClientContext, CompletableFuture<T>> task) {
    return context.onLoop(task);
  }

  /** The first page of a range, of the default number of rows. */
  CompletableFuture<ScanResult> firstPage(
      KeyRange range, ScanOrder order, Guarantee readGuarantee) {
    return scans.page(range, order, PAGE_ROWS_DEFAULT, readGuarantee);
  }

  Guarantee guarantee() {
    return guarantee;
  }

  private <T> CompletableFuture<T> write(Operation.OnKey operation, WriteRequest.Reader<T> reader) {
    try {
      return context.submit(WriteRequest.of(operation, reader), deadline);
    } catch (InvalidRequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static Position done(Position position, Result result) {
    if (result instanceof Result.Done) {
      return position;
    }
    throw unexpected(result);
  }

  private static DecodeException unexpected(Result result) {
    return new DecodeException(
        "the result " + result.getClass().getSimpleName() + " does not fit the operation");
  }

  private static byte[] copy(ByteBuffer value) {
    byte[] bytes = new byte[value.remaining()];
    value.duplicate().get(bytes);
    return bytes;
  }
}
