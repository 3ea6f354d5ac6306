package io.quorate.storage;

import static org.awaitility.Awaitility.await;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.MetricsSink;
import io.quorate.consensus.Position;
import io.quorate.operation.ClientCommand;
import io.quorate.operation.ClientId;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestId;
import io.quorate.operation.Result;
import io.quorate.operation.ScanPage;
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
 * A storage with one region, and a log that commits what tests ask for, one position after another.
 */
final class TestRegion implements AutoCloseable {
  static final GroupId GROUP = new GroupId(1);
  static final long EPOCH = 3;

  /** Flushes when asked only, so that tests decide what is durable. */
  static final StorageOptions OPTIONS =
      StorageOptions.DEFAULT.toBuilder()
          .blockCacheBytes(8 << 20)
          .flushInterval(Duration.ofHours(1))
          .build();

  final Storage storage;
  final RegionStore store;
  final Position opened;
  private long index;
  private Runnable beforeClose = () -> {};

  private TestRegion(Storage storage, KeyRange range) throws IOException {
    this.storage = storage;
    this.store = storage.region(GROUP, range, Keyspace.DATA);
    this.opened = store.open();
    this.index = opened.index();
  }

  static TestRegion open(Path directory) throws IOException {
    return open(directory, OPTIONS);
  }

  static TestRegion open(Path directory, StorageOptions options) throws IOException {
    return open(directory, options, StorageListener.NONE);
  }

  static TestRegion open(Path directory, StorageOptions options, StorageListener listener)
      throws IOException {
    return open(directory, options, listener, KeyRange.ALL);
  }

  static TestRegion open(
      Path directory, StorageOptions options, StorageListener listener, KeyRange range)
      throws IOException {
    return open(directory, options, listener, range, RequestId.WINDOW);
  }

  /** With a session window that a test can fill. */
  static TestRegion open(Path directory, StorageOptions options, int sessionWindow)
      throws IOException {
    return open(directory, options, StorageListener.NONE, KeyRange.ALL, sessionWindow);
  }

  static TestRegion open(
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

  static Position at(long index) {
    return new Position(EPOCH, index);
  }

  static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes.duplicate()).toString();
  }

  static Operation.Put put(String key, String value) {
    return new Operation.Put(Key.utf8(key), bytes(value));
  }

  static Operation.Delete delete(String key) {
    return new Operation.Delete(Key.utf8(key));
  }

  static Operation.Append append(String key, String suffix) {
    return new Operation.Append(Key.utf8(key), bytes(suffix));
  }

  static Operation.Append append(String key, String suffix, int valueBytesMax) {
    return new Operation.Append(Key.utf8(key), bytes(suffix), valueBytesMax);
  }

  static Operation.Increment increment(String key, long delta) {
    return new Operation.Increment(Key.utf8(key), delta);
  }

  static Operation.IncrementAndGet incrementAndGet(String key, long delta) {
    return new Operation.IncrementAndGet(Key.utf8(key), delta);
  }

  static Operation.GetAndPut getAndPut(String key, String value) {
    return new Operation.GetAndPut(Key.utf8(key), bytes(value));
  }

  static Result value(String text) {
    return new Result.Value(Optional.of(bytes(text)));
  }

  static Result number(long value) {
    return new Result.Number(value);
  }

  static ClientCommand by(ClientId client, long sequence, long floor, Operation operation) {
    return new ClientCommand(new RequestId(client, sequence, floor), operation);
  }

  static ClientCommand untagged(Operation operation) {
    return new ClientCommand(RequestId.NONE, operation);
  }

  /** Commits operations as one batch at the next position and waits for the answers. */
  List<Result> apply(Operation... operations) {
    return answers(commit(Arrays.stream(operations).map(TestRegion::untagged).toList()));
  }

  Result applyOne(Operation operation) {
    return apply(operation).get(0);
  }

  /** Commits one request at the next position and waits for the answer. */
  Result apply(ClientCommand request) {
    return answers(commit(List.of(request))).get(0);
  }

  /** Commits requests as one batch at the next position. */
  List<CompletableFuture<Result>> commit(List<ClientCommand> requests) {
    return commitAt(++index, requests);
  }

  /** Commits requests to which nobody needs the answers; completes when there is room for more. */
  CompletionStage<Void> committed(long at, List<ClientCommand> requests) {
    return store.committed(
        new CommittedBatch(
            at(at),
            requests.stream().map(ClientCommand::encoded).toList(),
            CommittedBatch.Results.UNWANTED));
  }

  List<CompletableFuture<Result>> commitAt(long at, List<ClientCommand> requests) {
    return commitBytes(at, requests.stream().map(ClientCommand::encoded).toList());
  }

  List<CompletableFuture<Result>> commitBytes(long at, List<ByteBuffer> commands) {
    List<CompletableFuture<Result>> answers = new ArrayList<>();
    commands.forEach(command -> answers.add(new CompletableFuture<>()));
    store.committed(
        new CommittedBatch(
            at(at), commands, (i, answer) -> answers.get(i).complete(Result.decode(answer))));
    return answers;
  }

  static List<Result> answers(List<CompletableFuture<Result>> answers) {
    return answers.stream().map(answer -> answer.orTimeout(30, TimeUnit.SECONDS).join()).toList();
  }

  long lastIndex() {
    return index;
  }

  void awaitApplied(long at) {
    store.awaitReadable(at(at)).toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    // Where reads are accelerated, that is sooner.
    await()
        .atMost(Duration.ofSeconds(30))
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(1))
        .until(() -> store.applied().covers(at(at)));
  }

  Position flush() {
    return store.flush().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** The value of a key as text. */
  Optional<String> get(String key) {
    return store.get(Key.utf8(key)).map(value -> new String(value, StandardCharsets.UTF_8));
  }

  /** Every row, page by page. */
  Map<String, String> rows() {
    Map<String, String> rows = new LinkedHashMap<>();
    Optional<Key> next = Optional.of(Key.EMPTY);
    while (next.isPresent()) {
      ScanPage page = store.scan(KeyRange.from(next.get()), 100, 1 << 20);
      page.rows()
          .forEach(
              row ->
                  rows.put(
                      new String(row.key().bytes(), StandardCharsets.UTF_8), text(row.value())));
      next = page.continueAt();
    }
    return rows;
  }

  /** Has something done before the storage is closed, which waits for what is under way. */
  void beforeClose(Runnable action) {
    beforeClose = action;
  }

  @Override
  public void close() {
    beforeClose.run();
    storage.close();
  }
}
