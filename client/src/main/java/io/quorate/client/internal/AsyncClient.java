package io.quorate.client.internal;

import static io.quorate.client.internal.Arguments.buffer;
import static io.quorate.client.internal.Arguments.prefixed;
import static io.quorate.client.internal.Arguments.utf8;

import io.quorate.client.AsyncQuorateClient;
import io.quorate.client.Batch;
import io.quorate.client.CallOperation;
import io.quorate.client.ClientOptions;
import io.quorate.client.CompareAndSetResult;
import io.quorate.client.InvalidRequestException;
import io.quorate.client.KeyValue;
import io.quorate.client.ScanResult;
import io.quorate.client.WriteOutcome;
import io.quorate.client.cluster.AccessAdministration;
import io.quorate.client.cluster.ClusterStatus;
import io.quorate.client.cluster.NodeAdministration;
import io.quorate.client.cluster.RegionAdministration;
import io.quorate.client.internal.admin.AccessRequester;
import io.quorate.client.internal.admin.ClusterStatusCollector;
import io.quorate.client.internal.admin.NodeChangeRequests;
import io.quorate.client.internal.admin.RegionChangeRequests;
import io.quorate.client.internal.call.Caller;
import io.quorate.client.internal.call.ClientContext;
import io.quorate.client.internal.call.GetRequest;
import io.quorate.client.internal.call.Namespace;
import io.quorate.client.internal.call.ObservedCall;
import io.quorate.client.internal.call.ReadOptions;
import io.quorate.client.internal.call.ReadyCall;
import io.quorate.client.internal.call.Scans;
import io.quorate.client.internal.call.SplitIncrement;
import io.quorate.client.internal.call.WriteRequest;
import io.quorate.client.internal.connection.CallResults;
import io.quorate.client.internal.connection.FailedAtOnce;
import io.quorate.common.Nulls;
import io.quorate.model.Guarantee;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.connect.AddressRace;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.wire.v1.StatusRequest;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** The calls of a client, each of which goes to the region of its key. */
public final class AsyncClient implements AsyncQuorateClient {
  private final Caller caller;
  private final Guarantee guarantee;
  private final Namespace namespace;
  private final Scans scans;

  private AsyncClient(Caller caller, Guarantee guarantee, Namespace namespace) {
    this.caller = caller;
    this.guarantee = guarantee;
    this.namespace = namespace;
    this.scans = new Scans(caller, namespace);
  }

  /** Creates a client. It does not connect before it is first used. */
  public static AsyncClient open(ClientOptions options) {
    return open(options, AddressRace.Lookup.SYSTEM);
  }

  /** With another name service than that of this machine. */
  public static AsyncClient open(ClientOptions options, AddressRace.Lookup names) {
    Nulls.refuse(options, "options");
    ClientContext context = new ClientContext(options, names);
    return new AsyncClient(
        new Caller(context, context.applicationCalls(), options.deadline(), false, false),
        options.guarantee(),
        Namespace.ALL);
  }

  @Override
  public AsyncClient withDeadline(Duration value) {
    ClientOptions.requireDeadline(Nulls.refuse(value, "value"));
    return new AsyncClient(caller.withDeadline(value), guarantee, namespace);
  }

  @Override
  public AsyncClient withGuarantee(Guarantee value) {
    return new AsyncClient(caller, Nulls.refuse(value, "value"), namespace);
  }

  @Override
  public AsyncClient namespace(byte[] prefix) {
    return new AsyncClient(
        caller, guarantee, namespace.within(Nulls.refuse(prefix, "prefix").clone()));
  }

  @Override
  public AsyncClient namespace(String prefix) {
    return namespace(utf8(prefix, "prefix"));
  }

  @Override
  public AsyncClient ordered() {
    return new AsyncClient(caller.inOrder(true), guarantee, namespace);
  }

  @Override
  public CompletableFuture<Void> ready() {
    return caller.onLoop(CallOperation.READY, loop -> ReadyCall.of(loop, caller.deadline()));
  }

  @Override
  public CompletableFuture<Optional<byte[]>> get(byte[] key) {
    return get(key, guarantee);
  }

  @Override
  public CompletableFuture<Optional<byte[]>> get(byte[] key, Guarantee readGuarantee) {
    Key checked = key(key);
    Nulls.refuse(readGuarantee, "readGuarantee");
    return caller
        .calls()
        .call(CallOperation.GET, call -> get(caller, checked, readGuarantee, call));
  }

  private CompletableFuture<Optional<byte[]>> get(
      Caller by, Key key, Guarantee readGuarantee, ObservedCall call) {
    return by.submit(new GetRequest(key, ReadOptions.of(readGuarantee, options())), call);
  }

  @Override
  public CompletableFuture<Optional<String>> get(String key) {
    return unlessInvalid(
        () -> {
          Key checked = key(utf8(key, "key"));
          return caller
              .calls()
              .call(
                  CallOperation.GET,
                  call -> get(caller, checked, guarantee, call),
                  value -> value.map(bytes -> Outcomes.textOf(key, bytes)));
        });
  }

  @Override
  public CompletableFuture<Optional<byte[]>> getBytes(String key) {
    return unlessInvalid(() -> get(utf8(key, "key")));
  }

  @Override
  public CompletableFuture<Position> put(byte[] key, byte[] value) {
    return write(
        CallOperation.PUT, new Operation.Put(key(key), buffer(value, "value")), Outcomes::done);
  }

  @Override
  public CompletableFuture<Position> put(String key, String value) {
    return unlessInvalid(() -> put(utf8(key, "key"), utf8(value, "value")));
  }

  @Override
  public CompletableFuture<Position> put(String key, byte[] value) {
    return unlessInvalid(() -> put(utf8(key, "key"), value));
  }

  @Override
  public CompletableFuture<CompareAndSetResult<byte[]>> putIfAbsent(byte[] key, byte[] value) {
    return swap(key(key), Optional.empty(), Optional.of(buffer(value, "value")));
  }

  @Override
  public CompletableFuture<Boolean> putIfAbsent(String key, String value) {
    return CallResults.of(
        unlessInvalid(() -> putIfAbsent(utf8(key, "key"), utf8(value, "value"))),
        CompareAndSetResult::swapped);
  }

  @Override
  public CompletableFuture<Position> delete(byte[] key) {
    return write(CallOperation.DELETE, new Operation.Delete(key(key)), Outcomes::done);
  }

  @Override
  public CompletableFuture<Position> delete(String key) {
    return unlessInvalid(() -> delete(utf8(key, "key")));
  }

  @Override
  public CompletableFuture<Position> append(byte[] key, byte[] suffix) {
    return write(
        CallOperation.APPEND,
        new Operation.Append(key(key), buffer(suffix, "suffix")),
        Outcomes::done);
  }

  @Override
  public CompletableFuture<Position> append(String key, String suffix) {
    return unlessInvalid(() -> append(utf8(key, "key"), utf8(suffix, "suffix")));
  }

  @Override
  public CompletableFuture<Position> increment(byte[] key, long delta) {
    return write(CallOperation.INCREMENT, new Operation.Increment(key(key), delta), Outcomes::done);
  }

  @Override
  public CompletableFuture<Position> increment(String key, long delta) {
    return unlessInvalid(() -> increment(utf8(key, "key"), delta));
  }

  @Override
  public CompletableFuture<Long> incrementAndGet(String key, long delta) {
    return unlessInvalid(() -> incrementAndGet(utf8(key, "key"), delta));
  }

  @Override
  public CompletableFuture<Long> incrementAndGet(byte[] key, long delta) {
    return incrementAndGet(key, delta, false);
  }

  @Override
  public CompletableFuture<Long> incrementAndGet(byte[] key, long delta, boolean splitResult) {
    Key checked = key(key);
    return caller
        .calls()
        .call(
            CallOperation.INCREMENT,
            call ->
                splitResult
                    ? splitSum(checked, delta, call)
                    : sumOfIncrement(checked, delta, call));
  }

  private CompletableFuture<Long> splitSum(Key key, long delta, ObservedCall call) {
    return SplitIncrement.result(
        caller.submit(WriteRequest.of(new Operation.Increment(key, delta), Outcomes::done), call),
        () -> get(caller.inOrder(false), key, SplitIncrement.guarantee(guarantee), call));
  }

  private CompletableFuture<Long> sumOfIncrement(Key key, long delta, ObservedCall call) {
    return caller.submit(
        WriteRequest.of(
            new Operation.IncrementAndGet(key, delta),
            outcome -> Outcomes.expect(WriteOutcome.Sum.class, outcome).value()),
        call);
  }

  @Override
  public CompletableFuture<Optional<byte[]>> getAndPut(byte[] key, byte[] value) {
    return write(
        CallOperation.GET_AND_PUT,
        new Operation.GetAndPut(key(key), buffer(value, "value")),
        Outcomes::replaced);
  }

  @Override
  public CompletableFuture<Optional<String>> getAndPut(String key, String value) {
    return unlessInvalid(
        () -> {
          Operation.GetAndPut put =
              new Operation.GetAndPut(key(utf8(key, "key")), buffer(utf8(value, "value"), "value"));
          return caller
              .calls()
              .call(
                  CallOperation.GET_AND_PUT,
                  call -> caller.submit(WriteRequest.of(put, Outcomes::replaced), call),
                  before -> before.map(bytes -> Outcomes.textBefore(key, bytes)));
        });
  }

  @Override
  public CompletableFuture<CompareAndSetResult<byte[]>> compareAndSet(
      byte[] key, byte[] expected, byte[] replacement) {
    return swap(
        key(key),
        Optional.of(buffer(expected, "expected")),
        Optional.of(buffer(replacement, "replacement")));
  }

  @Override
  public CompletableFuture<Boolean> compareAndSet(String key, String expected, String replacement) {
    return CallResults.of(
        unlessInvalid(
            () ->
                compareAndSet(
                    utf8(key, "key"),
                    utf8(expected, "expected"),
                    utf8(replacement, "replacement"))),
        CompareAndSetResult::swapped);
  }

  @Override
  public CompletableFuture<CompareAndSetResult<byte[]>> compareAndDelete(
      byte[] key, byte[] expected) {
    return swap(key(key), Optional.of(buffer(expected, "expected")), Optional.empty());
  }

  @Override
  public CompletableFuture<Boolean> compareAndDelete(String key, String expected) {
    return CallResults.of(
        unlessInvalid(() -> compareAndDelete(utf8(key, "key"), utf8(expected, "expected"))),
        CompareAndSetResult::swapped);
  }

  private CompletableFuture<CompareAndSetResult<byte[]>> swap(
      Key key, Optional<ByteBuffer> expected, Optional<ByteBuffer> replacement) {
    return write(
        CallOperation.COMPARE_AND_SET,
        new Operation.CompareAndSet(key, expected, replacement),
        outcome -> Outcomes.expect(WriteOutcome.Swap.class, outcome).result());
  }

  @Override
  public CompletableFuture<Position> batch(Batch batch) {
    Operation.Batch operation = operation(Nulls.refuse(batch, "batch"));
    return caller
        .calls()
        .call(
            CallOperation.BATCH,
            call -> caller.submit(WriteRequest.of(operation, Outcomes::done), call));
  }

  @Override
  public CompletableFuture<List<KeyValue>> scan(KeyRange range, int count) {
    return rows(range, ScanOrder.FORWARD, count);
  }

  @Override
  public CompletableFuture<List<KeyValue>> scanReverse(KeyRange range, int count) {
    return rows(range, ScanOrder.REVERSE, count);
  }

  @Override
  public CompletableFuture<List<KeyValue>> scanPrefix(String prefix, int count) {
    return unlessInvalid(() -> scan(prefixed(prefix), count));
  }

  @Override
  public CompletableFuture<ScanResult> scanPage(KeyRange range, int rowsMax) {
    return page(range, ScanOrder.FORWARD, rowsMax);
  }

  @Override
  public CompletableFuture<ScanResult> scanPageReverse(KeyRange range, int rowsMax) {
    return page(range, ScanOrder.REVERSE, rowsMax);
  }

  private CompletableFuture<ScanResult> page(KeyRange range, ScanOrder order, int rowsMax) {
    Nulls.refuse(range, "range");
    return caller
        .calls()
        .call(CallOperation.SCAN, call -> scans.page(range, order, rowsMax, guarantee, call));
  }

  private CompletableFuture<List<KeyValue>> rows(KeyRange range, ScanOrder order, int count) {
    Nulls.refuse(range, "range");
    return caller
        .calls()
        .call(CallOperation.SCAN, call -> scans.rows(range, order, count, guarantee, call));
  }

  @Override
  public CompletableFuture<ClusterStatus> status() {
    Duration ofAttempts = options().attemptTimeout();
    return status(caller.deadline().compareTo(ofAttempts) < 0 ? caller.deadline() : ofAttempts);
  }

  @Override
  public CompletableFuture<ClusterStatus> status(Duration timeout) {
    ClientOptions.requireDeadline(Nulls.refuse(timeout, "timeout"));
    return caller.onLoop(
        CallOperation.STATUS,
        loop -> ClusterStatusCollector.of(loop, StatusRequest.getDefaultInstance(), timeout));
  }

  @Override
  public RegionAdministration regions() {
    return new RegionChangeRequests(caller);
  }

  @Override
  public NodeAdministration nodes() {
    return new NodeChangeRequests(caller, false);
  }

  @Override
  public AccessAdministration access() {
    return new AccessRequester(caller);
  }

  @Override
  public BlockingClient blocking() {
    return new BlockingClient(this);
  }

  @Override
  public void close() {
    caller.context().close();
  }

  /**
   * How a client that this class has created makes its calls.
   *
   * @throws IllegalArgumentException if another class has
   */
  public static Caller caller(AsyncQuorateClient client) {
    if (client instanceof AsyncClient ours) {
      return ours.caller;
    }
    throw new IllegalArgumentException("Only a client that connects to a cluster can do this.");
  }

  /**
   * Returns whether the current thread is the event loop, which completes the futures and therefore
   * must not wait for them.
   */
  boolean isOnLoop() {
    return caller.context().isOnLoop();
  }

  ClientOptions options() {
    return caller.context().options();
  }

  /**
   * Runs a task on the event loop after a delay. Does not block.
   *
   * @param otherwise run if the client is closed before, which drops the task
   */
  void schedule(Runnable task, long nanos, Runnable otherwise) {
    caller
        .context()
        .loop()
        .schedule(task, nanos, TimeUnit.NANOSECONDS)
        .addListener(
            end -> {
              if (end.isCancelled()) {
                otherwise.run();
              }
            });
  }

  /** This client for callers that wait for its calls. */
  AsyncClient forBlocking() {
    return new AsyncClient(caller.blocking(), guarantee, namespace);
  }

  /** This client for a bulk writer. */
  AsyncClient forBulk() {
    return new AsyncClient(caller.withoutExecutor(), guarantee, namespace);
  }

  /** The first page of a range, of the default number of rows. */
  CompletableFuture<ScanResult> firstPage(KeyRange range, ScanOrder order) {
    return page(range, order, PAGE_ROWS_DEFAULT);
  }

  /** The key of an argument in the cluster. */
  private Key key(byte[] key) {
    return namespace.key(Nulls.refuse(key, "key"));
  }

  private <T> CompletableFuture<T> write(
      CallOperation kind, Operation.OnKey operation, WriteRequest.Reader<T> reader) {
    return caller
        .calls()
        .call(kind, call -> caller.submit(WriteRequest.of(operation, reader), call));
  }

  /** A call that throws nothing for a request that violates a rule. */
  private static <T> CompletableFuture<T> unlessInvalid(Supplier<CompletableFuture<T>> call) {
    try {
      return call.get();
    } catch (InvalidRequestException e) {
      return FailedAtOnce.of(e);
    }
  }

  private Operation.Batch operation(Batch batch) {
    return new Operation.Batch(batch.changes().stream().map(this::operation).toList());
  }

  private Operation.OnKey operation(Batch.Change change) {
    Key key = namespace.key(change.key());
    if (change instanceof Batch.Put put) {
      return new Operation.Put(key, ByteBuffer.wrap(put.value()));
    }
    if (change instanceof Batch.Append append) {
      return new Operation.Append(key, ByteBuffer.wrap(append.suffix()));
    }
    if (change instanceof Batch.Increment increment) {
      return new Operation.Increment(key, increment.delta());
    }
    return new Operation.Delete(key);
  }
}
