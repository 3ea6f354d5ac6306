package io.quorate.client.internal;

import static io.quorate.client.internal.Arguments.prefixed;

import io.quorate.client.Batch;
import io.quorate.client.BulkWriter;
import io.quorate.client.ClientOptions;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.IndeterminateException;
import io.quorate.client.KeyValue;
import io.quorate.client.QuorateClient;
import io.quorate.client.QuorateException;
import io.quorate.client.ScanResult;
import io.quorate.client.UnavailableException;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.common.Nulls;
import io.quorate.model.GroupId;
import io.quorate.model.Guarantee;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanOrder;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for the calls of an asynchronous client. */
public final class BlockingClient implements QuorateClient {
  private final AsyncClient async;

  /** May wait for room. */
  private final AsyncClient patient;

  BlockingClient(AsyncClient async) {
    this.async = async;
    this.patient = async.forBlocking();
  }

  /**
   * Connects to a cluster.
   *
   * @throws QuorateException if no node of a cluster could be reached
   */
  public static QuorateClient connect(ClientOptions options) {
    BlockingClient client = AsyncClient.open(options).blocking();
    try {
      client.read(client.calls().ready());
      return client;
    } catch (RuntimeException e) {
      client.close();
      throw e;
    }
  }

  @Override
  public AsyncClient async() {
    return async;
  }

  @Override
  public BlockingClient withDeadline(Duration value) {
    return async.withDeadline(value).blocking();
  }

  @Override
  public BlockingClient withGuarantee(Guarantee value) {
    return async.withGuarantee(value).blocking();
  }

  @Override
  public BlockingClient namespace(byte[] prefix) {
    return async.namespace(prefix).blocking();
  }

  @Override
  public BlockingClient namespace(String prefix) {
    return async.namespace(prefix).blocking();
  }

  @Override
  public BlockingClient ordered() {
    return async.ordered().blocking();
  }

  @Override
  public BulkWriter bulk() {
    return new BulkLoad(async.forBulk());
  }

  @Override
  public Optional<byte[]> get(byte[] key) {
    return read(calls().get(key));
  }

  @Override
  public Optional<byte[]> get(byte[] key, Guarantee guarantee) {
    Nulls.refuse(guarantee, "guarantee");
    return read(calls().get(key, guarantee));
  }

  @Override
  public Optional<String> get(String key) {
    return read(calls().get(key));
  }

  @Override
  public Optional<byte[]> getBytes(String key) {
    return read(calls().getBytes(key));
  }

  @Override
  public Position put(byte[] key, byte[] value) {
    return write(calls().put(key, value));
  }

  @Override
  public Position put(String key, String value) {
    return write(calls().put(key, value));
  }

  @Override
  public Position put(String key, byte[] value) {
    return write(calls().put(key, value));
  }

  @Override
  public CompareAndSetResult<byte[]> putIfAbsent(byte[] key, byte[] value) {
    return write(calls().putIfAbsent(key, value));
  }

  @Override
  public boolean putIfAbsent(String key, String value) {
    return write(calls().putIfAbsent(key, value));
  }

  @Override
  public Position delete(byte[] key) {
    return write(calls().delete(key));
  }

  @Override
  public Position delete(String key) {
    return write(calls().delete(key));
  }

  @Override
  public Position append(byte[] key, byte[] suffix) {
    return write(calls().append(key, suffix));
  }

  @Override
  public Position append(String key, String suffix) {
    return write(calls().append(key, suffix));
  }

  @Override
  public Position increment(byte[] key, long delta) {
    return write(calls().increment(key, delta));
  }

  @Override
  public Position increment(String key, long delta) {
    return write(calls().increment(key, delta));
  }

  @Override
  public long incrementAndGet(byte[] key, long delta) {
    return write(calls().incrementAndGet(key, delta));
  }

  @Override
  public long incrementAndGet(byte[] key, long delta, boolean splitResult) {
    return write(calls().incrementAndGet(key, delta, splitResult));
  }

  @Override
  public long incrementAndGet(String key, long delta) {
    return write(calls().incrementAndGet(key, delta));
  }

  @Override
  public Optional<byte[]> getAndPut(byte[] key, byte[] value) {
    return write(calls().getAndPut(key, value));
  }

  @Override
  public Optional<String> getAndPut(String key, String value) {
    return write(calls().getAndPut(key, value));
  }

  @Override
  public CompareAndSetResult<byte[]> compareAndSet(
      byte[] key, byte[] expected, byte[] replacement) {
    return write(calls().compareAndSet(key, expected, replacement));
  }

  @Override
  public boolean compareAndSet(String key, String expected, String replacement) {
    return write(calls().compareAndSet(key, expected, replacement));
  }

  @Override
  public CompareAndSetResult<byte[]> compareAndDelete(byte[] key, byte[] expected) {
    return write(calls().compareAndDelete(key, expected));
  }

  @Override
  public boolean compareAndDelete(String key, String expected) {
    return write(calls().compareAndDelete(key, expected));
  }

  @Override
  public Position batch(Batch batch) {
    return write(calls().batch(batch));
  }

  @Override
  public Iterable<KeyValue> scan(KeyRange range) {
    return pages(range, ScanOrder.FORWARD);
  }

  @Override
  public Iterable<KeyValue> scanReverse(KeyRange range) {
    return pages(range, ScanOrder.REVERSE);
  }

  private Iterable<KeyValue> pages(KeyRange range, ScanOrder order) {
    Nulls.refuse(range, "range");
    return () -> new Pages(range, order);
  }

  @Override
  public List<KeyValue> scan(KeyRange range, int count) {
    return read(calls().scan(range, count));
  }

  @Override
  public List<KeyValue> scanReverse(KeyRange range, int count) {
    return read(calls().scanReverse(range, count));
  }

  @Override
  public Iterable<KeyValue> scanPrefix(String prefix) {
    return scan(prefixed(prefix));
  }

  @Override
  public List<KeyValue> scanPrefix(String prefix, int count) {
    return read(calls().scanPrefix(prefix, count));
  }

  @Override
  public ScanResult scanPage(KeyRange range, int rowsMax) {
    return read(calls().scanPage(range, rowsMax));
  }

  @Override
  public ScanResult scanPageReverse(KeyRange range, int rowsMax) {
    return read(calls().scanPageReverse(range, rowsMax));
  }

  @Override
  public ClusterStatus status() {
    return read(calls().status());
  }

  @Override
  public Position verifyRegion(GroupId region) {
    return read(calls().regions().verify(region));
  }

  @Override
  public ClusterStatus status(Duration timeout) {
    return read(calls().status(timeout));
  }

  @Override
  public GroupId splitRegion(byte[] at) {
    return read(calls().regions().split(at));
  }

  @Override
  public GroupId mergeRegion(byte[] at) {
    return read(calls().regions().merge(at));
  }

  @Override
  public void moveReplica(GroupId region, NodeId from, NodeId to) {
    read(calls().regions().moveReplica(region, from, to));
  }

  @Override
  public void transferLeader(GroupId region, NodeId target) {
    read(calls().regions().transferLeader(region, target));
  }

  @Override
  public void close() {
    async.close();
  }

  private AsyncClient calls() {
    if (async.isOnLoop()) {
      throw new IllegalStateException(
          "A blocking call was made on the client's own thread, which would wait for itself;"
              + " use the asynchronous client there, or chain to the future with an executor:"
              + " ClientOptions.executor gives all futures one.");
    }
    return patient;
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

    /** What remains to be fetched. */
    private Optional<KeyRange> rest;

    private Iterator<KeyValue> page = List.<KeyValue>of().iterator();

    Pages(KeyRange range, ScanOrder order) {
      this.rest = Optional.of(range);
      this.order = order;
    }

    @Override
    public boolean hasNext() {
      while (!page.hasNext() && rest.isPresent()) {
        KeyRange range = rest.get();
        ScanResult result = read(calls().firstPage(range, order));
        page = result.rows().iterator();
        rest = result.continueAt().map(bound -> order.rest(range, bound));
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
