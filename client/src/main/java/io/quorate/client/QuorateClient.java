package io.quorate.client;

import io.quorate.consensus.GroupId;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.operation.ScanOrder;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/**
 * A client whose calls block until they complete or their deadline passes. An instance is safe for
 * use by multiple threads; one instance per process is enough.
 *
 * <p>Every call may throw each {@link QuorateException}; the subclass states whether the call may
 * have taken effect. If a thread is interrupted while it waits, its interrupt status stays set, and
 * the call ends as if its deadline had passed. See {@link AsyncQuorateClient} for retries, flow
 * control and the order of calls.
 */
public final class QuorateClient implements AutoCloseable {
  private final AsyncQuorateClient async;

  QuorateClient(AsyncQuorateClient async) {
    this.async = async;
  }

  /**
   * Connects to a cluster with the default options.
   *
   * @param seeds addresses {@code host:port} of one or more nodes, separated by commas
   * @throws IllegalArgumentException if {@code seeds} does not have that form
   * @throws QuorateException if no node of a cluster could be reached
   */
  public static QuorateClient connect(String seeds) {
    return connect(ClientOptions.of(Objects.requireNonNull(seeds, "Addresses must be given.")));
  }

  /**
   * Connects to a cluster.
   *
   * @throws QuorateException if no node of a cluster could be reached
   */
  public static QuorateClient connect(ClientOptions options) {
    QuorateClient client = AsyncQuorateClient.open(options).blocking();
    try {
      client.read(client.calls().ready());
      return client;
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  /** Returns a view of this client whose calls return futures. Closing either closes both. */
  public AsyncQuorateClient async() {
    return async;
  }

  /**
   * Returns a view of this client with another deadline for each call. The view shares everything
   * with this client and is cheap to create; closing either closes both.
   *
   * <pre>{@code
   * Optional<String> name = client.withDeadline(Duration.ofMillis(300)).get("name");
   * }</pre>
   *
   * @param value more than 0, at most {@link ClientOptions#DEADLINE_MAX}
   * @throws IllegalArgumentException if {@code value} is out of these bounds
   */
  public QuorateClient withDeadline(Duration value) {
    return async.withDeadline(value).blocking();
  }

  /** As {@link AsyncQuorateClient#withGuarantee}. */
  public QuorateClient withGuarantee(Guarantee value) {
    return async.withGuarantee(value).blocking();
  }

  /** Returns the value, or empty if there is none, read with the guarantee of this client. */
  public Optional<byte[]> get(byte[] key) {
    return read(calls().get(key));
  }

  /** Returns the value, or empty if there is none, read with the given guarantee. */
  public Optional<byte[]> get(byte[] key, Guarantee guarantee) {
    return read(calls().get(key, guarantee));
  }

  /** As {@link #get(byte[])}, with key and value in UTF-8. */
  public Optional<String> get(String key) {
    return get(Utf8.bytes(key)).map(Utf8::text);
  }

  /**
   * Sets the value. Returns the position of the write in the order of its region; a later read of
   * the same region can require that position with {@link Guarantee.AtLeast}.
   */
  public Position put(byte[] key, byte[] value) {
    return write(calls().put(key, value));
  }

  /** As {@link #put(byte[], byte[])}, with key and value in UTF-8. */
  public Position put(String key, String value) {
    return put(Utf8.bytes(key), Utf8.bytes(value));
  }

  /** Sets the value if there is none. Returns whether the value was set. */
  public boolean putIfAbsent(byte[] key, byte[] value) {
    return write(calls().putIfAbsent(key, value));
  }

  /** As {@link #putIfAbsent(byte[], byte[])}, with key and value in UTF-8. */
  public boolean putIfAbsent(String key, String value) {
    return write(calls().putIfAbsent(key, value));
  }

  /** Removes the key. A missing key is not an error. Returns the position of the write. */
  public Position delete(byte[] key) {
    return write(calls().delete(key));
  }

  /** As {@link #delete(byte[])}, with the key in UTF-8. */
  public Position delete(String key) {
    return delete(Utf8.bytes(key));
  }

  /**
   * Appends bytes to the value. Changes nothing if the value would become too long. Returns the
   * position of the write.
   */
  public Position append(byte[] key, byte[] suffix) {
    return write(calls().append(key, suffix));
  }

  /** As {@link #append(byte[], byte[])}, with key and suffix in UTF-8. */
  public Position append(String key, String suffix) {
    return write(calls().append(key, suffix));
  }

  /**
   * Adds to the number; a missing value counts as 0. Returns the position of the write. If the
   * value is not a number, or the sum does not fit in 64 bits, the increment changes nothing and
   * reports no error; {@link #incrementAndGet} reports these errors.
   */
  public Position increment(byte[] key, long delta) {
    return write(calls().increment(key, delta));
  }

  /** As {@link #increment(byte[], long)}, with the key in UTF-8. */
  public Position increment(String key, long delta) {
    return write(calls().increment(key, delta));
  }

  /**
   * Adds to the number, where a missing value counts as 0, and returns the sum.
   *
   * @throws RefusedException if the value is not a number or the sum does not fit in 64 bits
   */
  public long incrementAndGet(byte[] key, long delta) {
    return write(calls().incrementAndGet(key, delta));
  }

  /** As {@link AsyncQuorateClient#incrementAndGet(byte[], long, boolean)}. */
  public long incrementAndGet(byte[] key, long delta, boolean splitResult) {
    return write(calls().incrementAndGet(key, delta, splitResult));
  }

  /** As {@link #incrementAndGet(byte[], long)}, with the key in UTF-8. */
  public long incrementAndGet(String key, long delta) {
    return incrementAndGet(Utf8.bytes(key), delta);
  }

  /** Sets the value and returns the previous one, or empty if there was none. */
  public Optional<byte[]> getAndPut(byte[] key, byte[] value) {
    return write(calls().getAndPut(key, value));
  }

  /** As {@link #getAndPut(byte[], byte[])}, with key and values in UTF-8. */
  public Optional<String> getAndPut(String key, String value) {
    return write(calls().getAndPut(key, value));
  }

  /** Replaces the value if it equals the expected one. Returns whether it was replaced. */
  public boolean compareAndSet(byte[] key, byte[] expected, byte[] replacement) {
    return write(calls().compareAndSet(key, expected, replacement));
  }

  /** As {@link #compareAndSet(byte[], byte[], byte[])}, with key and values in UTF-8. */
  public boolean compareAndSet(String key, String expected, String replacement) {
    return write(calls().compareAndSet(key, expected, replacement));
  }

  /**
   * Replaces the value if it equals the expected one; otherwise returns the present value.
   *
   * @param expected the value that must be present; empty to require that there is none
   * @param replacement the new value; empty to remove the key
   */
  public CompareAndSetResult compareAndSet(
      byte[] key, Optional<byte[]> expected, Optional<byte[]> replacement) {
    return write(calls().compareAndSet(key, expected, replacement));
  }

  /**
   * Applies the changes of a batch atomically. Returns the position of the write.
   *
   * @throws InvalidRequestException if the keys lie in more than one region; no request was sent
   */
  public Position batch(Batch batch) {
    return write(calls().batch(batch));
  }

  /**
   * Returns the rows whose keys begin with {@code prefix}, in key order, fetched as by {@link
   * #scan(byte[], byte[])}.
   *
   * @param prefix the prefix; empty for all keys
   */
  public Iterable<KeyValue> scanPrefix(byte[] prefix) {
    KeyRange range = KeyRange.ofPrefix(Key.wrap(prefix));
    return scan(prefix, range.end().map(Key::bytes), async.guarantee());
  }

  /** As {@link #scanPrefix(byte[])}, with the prefix in UTF-8. */
  public Iterable<KeyValue> scanPrefix(String prefix) {
    return scanPrefix(Utf8.bytes(prefix));
  }

  /**
   * Returns the rows whose keys begin with {@code prefix}, from the highest key downwards, fetched
   * as by {@link #scan(byte[], byte[])}.
   *
   * @param prefix the prefix; empty for all keys
   */
  public Iterable<KeyValue> scanPrefixReverse(byte[] prefix) {
    KeyRange range = KeyRange.ofPrefix(Key.wrap(prefix));
    return scanReverse(prefix, range.end().map(Key::bytes), async.guarantee());
  }

  /** As {@link #scanPrefixReverse(byte[])}, with the prefix in UTF-8. */
  public Iterable<KeyValue> scanPrefixReverse(String prefix) {
    return scanPrefixReverse(Utf8.bytes(prefix));
  }

  /** As {@link #scan(byte[], byte[])}, with both in UTF-8. */
  public Iterable<KeyValue> scan(String start, String end) {
    return scan(Utf8.bytes(start), Utf8.bytes(end));
  }

  /** As {@link AsyncQuorateClient#scan(byte[], int)}. */
  public List<KeyValue> scan(byte[] start, int count) {
    return read(calls().scan(start, count));
  }

  /**
   * Returns the rows from {@code start}, inclusive, to {@code end}, exclusive, in key order. Pages
   * are fetched during the iteration, which throws the exceptions of the fetches. Each page is a
   * consistent cut of one region; all pages together are not. There is nothing to close.
   *
   * @param start the first key of the range; empty for the lowest key
   * @param end the first key beyond the range
   */
  public Iterable<KeyValue> scan(byte[] start, byte[] end) {
    return scan(start, Optional.of(end), async.guarantee());
  }

  /**
   * As {@link #scan(byte[], byte[])}, with the given guarantee for each page.
   *
   * @param end the first key beyond the range; empty for no upper bound
   */
  public Iterable<KeyValue> scan(byte[] start, Optional<byte[]> end, Guarantee guarantee) {
    return () -> new Pages(Scans.range(start, end), ScanOrder.FORWARD, guarantee);
  }

  /**
   * Returns the rows from {@code end}, exclusive, down to {@code start}, inclusive, in reverse key
   * order, fetched as by {@link #scan(byte[], byte[])}.
   *
   * @param start the lowest key of the range; empty for the lowest key of all
   * @param end the first key beyond the range
   */
  public Iterable<KeyValue> scanReverse(byte[] start, byte[] end) {
    return scanReverse(start, Optional.of(end), async.guarantee());
  }

  /** As {@link #scanReverse(byte[], byte[])}, with both in UTF-8. */
  public Iterable<KeyValue> scanReverse(String start, String end) {
    return scanReverse(Utf8.bytes(start), Utf8.bytes(end));
  }

  /**
   * As {@link #scanReverse(byte[], byte[])}, with the given guarantee for each page.
   *
   * @param end the first key beyond the range; empty for no upper bound
   */
  public Iterable<KeyValue> scanReverse(byte[] start, Optional<byte[]> end, Guarantee guarantee) {
    return () -> new Pages(Scans.range(start, end), ScanOrder.REVERSE, guarantee);
  }

  /** As {@link AsyncQuorateClient#status}. */
  public ClusterStatus status() {
    return read(calls().status());
  }

  /** As {@link RegionAdministration#verify}. */
  public Position verifyRegion(GroupId region) {
    return read(calls().regions().verify(region));
  }

  /** As {@link AsyncQuorateClient#status(Duration)}. */
  public ClusterStatus status(Duration timeout) {
    return read(calls().status(timeout));
  }

  /** As {@link RegionAdministration#split}. */
  public GroupId splitRegion(byte[] at) {
    return read(calls().regions().split(at));
  }

  /** As {@link RegionAdministration#merge}. */
  public GroupId mergeRegion(byte[] at) {
    return read(calls().regions().merge(at));
  }

  /** As {@link RegionAdministration#moveReplica}. */
  public void moveReplica(GroupId region, NodeId from, NodeId to) {
    read(calls().regions().moveReplica(region, from, to));
  }

  /** As {@link RegionAdministration#transferLeader}. */
  public void transferLeader(GroupId region, NodeId target) {
    read(calls().regions().transferLeader(region, target));
  }

  /** As {@link AsyncQuorateClient#close}. */
  @Override
  public void close() {
    async.close();
  }

  private AsyncQuorateClient calls() {
    if (async.isOnLoop()) {
      throw new IllegalStateException(
          "A blocking call was made on the client's own thread, which would wait for itself;"
              + " chain to the future with an executor, or use the asynchronous client there.");
    }
    return async;
  }

  private <T> T read(CompletableFuture<T> call) {
    try {
      return await(call);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new UnavailableException(
          "The thread was interrupted while it waited for the response.");
    }
  }

  private <T> T write(CompletableFuture<T> call) {
    try {
      return await(call);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IndeterminateException(
          "The thread was interrupted while it waited; the write may have taken effect.");
    }
  }

  private <T> T await(CompletableFuture<T> call) throws InterruptedException {
    try {
      return call.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof QuorateException failure) {
        // The stack trace of the caller is more useful than that of the event loop.
        failure.fillInStackTrace();
        throw failure;
      }
      throw new IllegalStateException(e.getCause());
    }
  }

  /** Fetches a page when the previous one is used up. */
  private final class Pages implements Iterator<KeyValue> {
    private final ScanOrder order;
    private final Guarantee guarantee;

    /** What remains to be fetched. */
    private Optional<KeyRange> rest;

    private Iterator<KeyValue> page = List.<KeyValue>of().iterator();

    Pages(KeyRange range, ScanOrder order, Guarantee guarantee) {
      this.rest = Optional.of(range);
      this.order = order;
      this.guarantee = guarantee;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && rest.isPresent()) {
        KeyRange range = rest.get();
        ScanResult result = read(calls().firstPage(range, order, guarantee));
        page = result.rows().iterator();
        rest = result.continueAt().map(bound -> order.rest(range, Key.wrap(bound)));
      }
      return page.hasNext();
    }

    @Override
    public KeyValue next() {
      if (!hasNext()) {
        throw new NoSuchElementException("The scan has no more rows.");
      }
      return page.next();
    }
  }
}
