package io.quorate.benchmarks.micro;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.Position;
import io.quorate.consensus.Telemetry;
import io.quorate.failpoint.Failpoint;
import io.quorate.operation.Operation;
import io.quorate.operation.RequestTag;
import io.quorate.operation.TaggedOperation;
import io.quorate.storage.Keyspace;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.StorageOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** One region's storage in a temporary directory, without an engine. One thread commits. */
final class StoredRegion implements AutoCloseable {
  static final int ROWS = 100_000;
  private static final int BATCH = 1_000;
  private static final int VALUE_BYTES = 100;

  /** Where what is committed waits if a benchmark wants it to. */
  private static final Failpoint BEFORE_WRITE = Failpoint.named("storage.apply.before-write");

  private final Path directory;
  private final Storage storage;
  private final RegionStore store;
  private long index = -1;

  private StoredRegion(Path directory, StorageOptions options) throws IOException {
    this.directory = directory;
    this.storage = Storage.open(directory, options, Telemetry.NONE);
    this.store = storage.region(new GroupId(1), KeyRange.ALL, Keyspace.DATA);
    store.open();
  }

  /** A region with {@link #ROWS} rows that reads ahead of the applier. Blocks. */
  static StoredRegion open(StorageOptions.Scans scans) throws IOException {
    StoredRegion region =
        new StoredRegion(
            Files.createTempDirectory("quorate-jmh"),
            StorageOptions.DEFAULT.toBuilder()
                .replyAtCommit(true)
                .readAcceleration(true)
                .scans(scans)
                .build());
    for (int first = 0; first < ROWS; first += BATCH) {
      List<Operation> puts = new ArrayList<>();
      for (int i = first; i < first + BATCH; i++) {
        puts.add(put(i));
      }
      region.commit(puts);
    }
    region.awaitApplied();
    return region;
  }

  RegionStore store() {
    return store;
  }

  static Key key(int number) {
    return Key.wrap(ByteBuffer.allocate(16).putInt(number).array());
  }

  static Operation put(int number) {
    return new Operation.Put(key(number), ByteBuffer.allocate(VALUE_BYTES));
  }

  static Operation delete(int number) {
    return new Operation.Delete(key(number));
  }

  /** Commits operations together, and waits while there is no room for more. */
  void commit(List<Operation> operations) {
    List<ByteBuffer> commands =
        operations.stream()
            .map(operation -> new TaggedOperation(RequestTag.NONE, operation).encoded())
            .toList();
    store
        .committed(
            new CommittedBatch(new Position(1, ++index), commands, CommittedBatch.Results.UNWANTED))
        .toCompletableFuture()
        .join();
  }

  void awaitApplied() {
    while (store.applied().index() < index) {
      Thread.onSpinWait();
    }
  }

  /** What happens from now on before anything is applied. */
  void beforeApplying(Failpoint.Action action) {
    BEFORE_WRITE.on(action);
  }

  @Override
  public void close() throws IOException {
    BEFORE_WRITE.off();
    storage.close();
    try (Stream<Path> files = Files.walk(directory)) {
      files.sorted(Comparator.reverseOrder()).forEach(StoredRegion::delete);
    }
  }

  private static void delete(Path file) {
    try {
      Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
