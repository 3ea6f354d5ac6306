package io.quorate.storage;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.BodyReference;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.KnownPosition;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/**
 * A storage with one region, and a log that commits the requests of tests at consecutive positions.
 */
public final class TestRegion implements AutoCloseable {
  public static final GroupId GROUP = new GroupId(1);
  public static final long EPOCH = 3;

  /** Flushes only on request, so that tests control what is durable. */
  public static final StorageOptions OPTIONS =
      StorageOptions.DEFAULT.toBuilder()
          .blockCacheBytes(8 << 20)
          .flushInterval(Duration.ofHours(1))
          .build();

  public final Storage storage;
  public final RegionStore store;
  public final Position opened;
  private long index;
  private Runnable beforeClose = () -> {};

  /** With values that may be bodies, which are removed only by tests. */
  public static final StorageOptions BODIES =
      OPTIONS.toBuilder().bodies(true).bodySweepInterval(Duration.ofHours(1)).build();

  private TestRegion(Storage storage, KeyRange range) throws IOException {
    this.storage = storage;
    this.store = storage.region(GROUP, range, Keyspace.DATA);
    this.opened = store.open();
    this.index = opened.index();
  }

  public static TestRegion open(Path directory) throws IOException {
    return open(directory, OPTIONS);
  }

  public static TestRegion open(Path directory, StorageOptions options) throws IOException {
    return open(directory, options, StorageListener.NONE);
  }

  public static TestRegion open(Path directory, StorageOptions options, StorageListener listener)
      throws IOException {
    return open(directory, options, listener, KeyRange.ALL);
  }

  public static TestRegion open(
      Path directory, StorageOptions options, StorageListener listener, KeyRange range)
      throws IOException {
    return open(directory, options, listener, range, RequestId.WINDOW);
  }

  /** With a session window small enough for a test to fill. */
  public static TestRegion open(Path directory, StorageOptions options, int sessionWindow)
      throws IOException {
    return open(directory, options, StorageListener.NONE, KeyRange.ALL, sessionWindow);
  }

  public static TestRegion open(
      Path directory,
      StorageOptions options,
      StorageListener listener,
      KeyRange range,
      int sessionWindow)
      throws IOException {
    Storage storage = Storage.open(directory, options, MetricsSink.NONE, listener, sessionWindow);
    try {
      return new TestRegion(storage, range);
    } catch (IOException | RuntimeException e) {
      storage.close();
      throw e;
    }
  }

  public static Position at(long index) {
    return new Position(EPOCH, index);
  }

  public static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  public static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  public static Operation.Put put(String key, String value) {
    return new Operation.Put(Key.utf8(key), bytes(value));
  }

  public static Operation.PutBody putBody(String key, BodyReference body) {
    return new Operation.PutBody(Key.utf8(key), body);
  }

  /** A reference to a body of this epoch, of 100 000 bytes. */
  public static BodyReference body(long number, long floor) {
    return new BodyReference(EPOCH, number, floor, 100_000, bytes("layout"));
  }

  public static Operation.Delete delete(String key) {
    return new Operation.Delete(Key.utf8(key));
  }

  public static Operation.Append append(String key, String suffix) {
    return new Operation.Append(Key.utf8(key), bytes(suffix));
  }

  public static Operation.Append append(String key, String suffix, int valueBytesMax) {
    return new Operation.Append(Key.utf8(key), bytes(suffix), valueBytesMax);
  }

  public static Operation.Increment increment(String key, long delta) {
    return new Operation.Increment(Key.utf8(key), delta);
  }

  public static Operation.IncrementAndGet incrementAndGet(String key, long delta) {
    return new Operation.IncrementAndGet(Key.utf8(key), delta);
  }

  public static Operation.GetAndPut getAndPut(String key, String value) {
    return new Operation.GetAndPut(Key.utf8(key), bytes(value));
  }

  public static Result value(String text) {
    return new Result.Value(Optional.of(bytes(text)));
  }

  public static Result number(long value) {
    return new Result.Number(value);
  }

  public static ClientCommand by(ClientId client, long sequence, long floor, Operation operation) {
    return new ClientCommand(new RequestId(client, sequence, floor), operation);
  }

  public static ClientCommand untagged(Operation operation) {
    return new ClientCommand(RequestId.NONE, operation);
  }

  /** Commits operations as one batch at the next position and waits for the results. */
  public List<Result> apply(Operation... operations) {
    return results(commit(Arrays.stream(operations).map(TestRegion::untagged).toList()));
  }

  public Result applyOne(Operation operation) {
    return apply(operation).get(0);
  }

  /** Commits one request at the next position and waits for the result. */
  public Result apply(ClientCommand request) {
    return results(commit(List.of(request))).get(0);
  }

  /** Commits requests as one batch at the next position. */
  public List<CompletableFuture<Result>> commit(List<ClientCommand> requests) {
    return commitAt(++index, requests);
  }

  /** Commits requests and ignores their results; completes when there is capacity for more. */
  public CompletionStage<Void> committed(long at, List<ClientCommand> requests) {
    return store.committed(
        new CommittedBatch(
            at(at),
            requests.stream().map(ClientCommand::encoded).toList(),
            CommittedBatch.Results.UNWANTED));
  }

  public List<CompletableFuture<Result>> commitAt(long at, List<ClientCommand> requests) {
    return commitBytes(at, requests.stream().map(ClientCommand::encoded).toList());
  }

  public List<CompletableFuture<Result>> commitBytes(long at, List<ByteBuffer> commands) {
    return commitBytes(at(at), commands);
  }

  /** The command of a client that knew a position of a region when the call began. */
  public static ClientCommand since(GroupId region, long index, ClientCommand command) {
    RequestId tag = command.tag();
    return new ClientCommand(
        new RequestId(
            tag.client(), tag.sequence(), tag.floor(), KnownPosition.of(region, at(index))),
        command.operation());
  }

  /** Applies one request at a position of any epoch and waits for the result. */
  public Result applyAt(Position at, ClientCommand request) {
    index = at.index();
    return results(commitBytes(at, List.of(request.encoded()))).get(0);
  }

  /** Applies one request to a region and waits for the result. */
  public static Result applyTo(RegionStore store, Position at, ClientCommand request) {
    return results(commitTo(store, at, List.of(request.encoded()))).get(0);
  }

  private List<CompletableFuture<Result>> commitBytes(Position at, List<ByteBuffer> commands) {
    return commitTo(store, at, commands);
  }

  /** Commits commands to a region as one batch. */
  static List<CompletableFuture<Result>> commitTo(
      RegionStore store, Position at, List<ByteBuffer> commands) {
    List<CompletableFuture<Result>> results = new ArrayList<>();
    commands.forEach(command -> results.add(new CompletableFuture<>()));
    store.committed(
        new CommittedBatch(
            at, commands, (i, result) -> results.get(i).complete(Result.decode(result))));
    return results;
  }

  public static List<Result> results(List<CompletableFuture<Result>> results) {
    return results.stream().map(result -> result.orTimeout(30, TimeUnit.SECONDS).join()).toList();
  }

  long lastIndex() {
    return index;
  }

  public void awaitApplied(long at) {
    store.awaitReadable(at(at)).toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    // With accelerated reads, a position is readable before it is applied.
    await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> store.applied().covers(at(at)));
  }

  public Position flush() {
    return store.flush().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** The value of a key as text. */
  public Optional<String> get(String key) {
    return store.get(Key.utf8(key)).map(value -> new String(value, StandardCharsets.UTF_8));
  }

  /** Every row, page by page. */
  public Map<String, String> rows() {
    return rows(store);
  }

  /** Whether the database has a row with a key, whatever region the key is in. */
  public boolean hasRow(String key) throws IOException {
    return storage.database().get(Family.DATA, Key.utf8(key).bytes()).isPresent();
  }

  /** Every row of a region, page by page. */
  public static Map<String, String> rows(RegionStore store) {
    Map<String, String> rows = new LinkedHashMap<>();
    KeyRange range = store.range();
    Optional<Key> next = Optional.of(range.start());
    while (next.isPresent()) {
      ScanPage page = store.scan(new KeyRange(next.get(), range.end()), 100, 1 << 20);
      page.rows()
          .forEach(
              row ->
                  rows.put(
                      new String(row.key().bytes(), StandardCharsets.UTF_8), text(row.value())));
      next = page.continueAt();
    }
    return rows;
  }

  /**
   * Sets an action that runs before the storage is closed, because closing waits for writes in
   * progress.
   */
  void beforeClose(Runnable action) {
    beforeClose = action;
  }

  @Override
  public void close() {
    beforeClose.run();
    storage.close();
  }
}
