package io.quorate.benchmarks.micro;

import io.quorate.common.Failpoint;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.RequestId;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * The storage of one region in a temporary directory, without an engine. Commits must come from one
 * thread.
 */
final class StoredRegion implements AutoCloseable {
  static final int ROWS = 100_000;
  private static final int BATCH = 1_000;
  private static final int VALUE_BYTES = 100;

  /** The failpoint where a benchmark can delay the apply of committed changes. */
  private static final Failpoint BEFORE_WRITE = Failpoint.named("storage.apply.before-write");

  private final Path directory;
  private final Storage storage;
  private final RegionStore store;
  private long index = -1;

  private StoredRegion(Path directory, StorageOptions options) throws IOException {
    this.directory = directory;
    this.storage = Storage.open(directory, options, MetricsSink.NONE);
    this.store = storage.region(new GroupId(1), KeyRange.ALL, Keyspace.DATA);
    store.open();
  }

  /** Opens a region with {@link #ROWS} rows whose reads do not wait for apply. Blocks. */
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

  /** Commits operations as one batch; blocks under back-pressure. */
  void commit(List<Operation> operations) {
    List<ByteBuffer> commands =
        operations.stream()
            .map(operation -> new ClientCommand(RequestId.NONE, operation).encoded())
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

  /** Sets the action that runs before each apply from now on. */
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
