package io.quorate.storage;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.DatabaseException;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.session.SessionRows;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

class FailureTest {
  private static final ClientId ANN = new ClientId(1, 1);
  private static final ClientId BOB = new ClientId(2, 2);

  /** Has no repetitions, so that it is in a table as it is. */
  private static final String VALUE = "the quick brown fox jumps over lazy dogs";

  @TempDir Path directory;

  /** Fails writes while it is full. */
  private static final class Disk {
    private volatile boolean full;

    Disk() {
      StoragePoints.BEFORE_WRITE.on((at, region) -> write());
    }

    private void write() throws IOException {
      if (full) {
        throw new DatabaseException(
            "Writing",
            new RocksDBException(
                "No space left on device",
                new Status(Status.Code.IOError, Status.SubCode.NoSpace, "")));
      }
    }
  }

  @AfterEach
  void healDisk() {
    StoragePoints.BEFORE_WRITE.off();
  }

  private static final class RecordingListener implements StorageListener {
    private final BlockingQueue<StorageFailure> failures = new LinkedBlockingQueue<>();
    private final BlockingQueue<Optional<GroupId>> recoveries = new LinkedBlockingQueue<>();
    private final BlockingQueue<StorageFailure> damages = new LinkedBlockingQueue<>();

    @Override
    public void failed(StorageFailure failure) {
      failures.add(failure);
    }

    @Override
    public void recovered(Optional<GroupId> region) {
      recoveries.add(region);
    }

    @Override
    public void damaged(StorageFailure failure) {
      damages.add(failure);
    }
  }

  @Test
  void fullDiskDelaysCommandsUntilThereIsSpace() throws Exception {
    Disk disk = new Disk();
    RecordingListener listener = new RecordingListener();
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, listener)) {
      region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)));
      disk.full = true;
      String large = "x".repeat(200);
      List<ClientCommand> requests =
          List.of(
              by(ANN, 2, 1, incrementAndGet("n", 1)),
              by(ANN, 1, 1, incrementAndGet("n", 1)),
              by(ANN, 3, 2, getAndPut("k", large)),
              by(ANN, 4, 2, getAndPut("k", "y")));
      List<CompletableFuture<Result>> results = region.commit(requests);
      StorageFailure failure = listener.failures.poll(30, TimeUnit.SECONDS);
      assertThat(failure.kind()).isEqualTo(StorageFailure.Kind.NO_SPACE);
      assertThat(listener.damages).isEmpty();
      assertThat(failure.region()).contains(TestRegion.GROUP);
      assertThat(region.storage.failures()).containsExactly(failure);
      assertThat(region.get("n")).contains("1");
      assertThat(region.store.applied()).isEqualTo(TestRegion.at(0));
      assertThat(results).noneMatch(CompletableFuture::isDone);

      disk.full = false;
      assertThat(TestRegion.results(results))
          .containsExactly(
              number(2), number(1), new Result.Value(Optional.empty()), TestRegion.value(large));
      assertThat(listener.recoveries.poll(30, TimeUnit.SECONDS)).contains(TestRegion.GROUP);
      await().until(() -> region.storage.failures().isEmpty());
      assertThat(listener.failures).isEmpty();
      assertThat(region.apply(by(ANN, 4, 2, getAndPut("k", "z"))))
          .isEqualTo(TestRegion.value(large));
      assertThat(region.get("n")).contains("2");
    }
  }

  /** The row of another client is gone, which shows only if all sessions are loaded again. */
  @Test
  void aFailedWriteReloadsTheSessionsOfItsClientsOnly() throws Exception {
    Disk disk = new Disk();
    RecordingListener listener = new RecordingListener();
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, listener)) {
      region.apply(by(ANN, 1, 1, incrementAndGet("n", 1)));
      region.apply(by(BOB, 1, 1, incrementAndGet("n", 1)));
      try (DatabaseBatch batch = region.storage.database().batch()) {
        batch.delete(Family.SESSIONS, SessionRows.sessionKey(TestRegion.GROUP, BOB));
        region.storage.database().write(batch);
      }
      disk.full = true;
      List<CompletableFuture<Result>> results =
          region.commit(
              List.of(
                  by(ANN, 2, 1, incrementAndGet("n", 1)), by(ANN, 1, 1, incrementAndGet("n", 1))));
      assertThat(listener.failures.poll(30, TimeUnit.SECONDS)).isNotNull();
      disk.full = false;
      assertThat(TestRegion.results(results)).containsExactly(number(3), number(1));
      assertThat(region.apply(by(BOB, 1, 1, incrementAndGet("n", 1)))).isEqualTo(number(2));
      assertThat(region.get("n")).contains("3");
    }
  }

  @Test
  void storageClosesWhileTheDiskIsFull() throws Exception {
    Disk disk = new Disk();
    RecordingListener listener = new RecordingListener();
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, listener)) {
      region.apply(put("k", "v"));
      disk.full = true;
      region.commit(List.of(TestRegion.untagged(put("k", "w"))));
      assertThat(listener.failures.poll(30, TimeUnit.SECONDS)).isNotNull();
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.opened).isEqualTo(TestRegion.at(0));
      assertThat(region.get("k")).contains("v");
    }
  }

  @Test
  void defectOfOneRegionLeavesTheOthersRunning() throws Exception {
    RecordingListener listener = new RecordingListener();
    StoragePoints.BEFORE_WRITE.on(
        (at, region) -> {
          if (region.equals(TestRegion.GROUP)) {
            throw new IllegalStateException("defect");
          }
        });
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, listener)) {
      region.commit(List.of(TestRegion.untagged(put("k", "w"))));
      assertThat(listener.failures.poll(30, TimeUnit.SECONDS).kind())
          .isEqualTo(StorageFailure.Kind.INTERNAL);
      RegionStore other = region.storage.region(new GroupId(0), KeyRange.ALL, Keyspace.SYSTEM);
      other.open();
      other.committed(
          new CommittedBatch(TestRegion.at(0), List.of(), CommittedBatch.Results.UNWANTED));
      other.awaitReadable(TestRegion.at(0)).toCompletableFuture().get(30, TimeUnit.SECONDS);
      assertThat(region.store.applied().index()).isEqualTo(-1);
    }
  }

  /** Other replicas have them: this node must not lead. */
  @Test
  void damagedRowsAreAFailureThatDoesNotEnd() throws Exception {
    RecordingListener listener = new RecordingListener();
    try (TestRegion region = openDamaged(listener)) {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> region.get("k")).isInstanceOf(UncheckedIOException.class);
      }
      StorageFailure failure = listener.failures.poll();
      assertThat(failure.kind()).isEqualTo(StorageFailure.Kind.CORRUPTION);
      assertThat(failure.message()).contains("files of the database are damaged", ".sst");
      assertThat(region.storage.failures()).containsExactly(failure);
      assertThat(listener.failures).isEmpty();
      assertThat(listener.damages).containsExactly(failure);
    }
  }

  /** Another node asks for its rows, and no client does. */
  @Test
  void damageThatASnapshotMeetsIsReportedOnce() throws Exception {
    RecordingListener listener = new RecordingListener();
    try (TestRegion region = openDamaged(listener)) {
      for (int i = 0; i < 2; i++) {
        Path target = directory.resolve("snapshot" + i);
        assertThatThrownBy(() -> region.store.exportSnapshot(target))
            .isInstanceOf(IOException.class);
      }
      assertThat(listener.damages).hasSize(1);
      assertThat(region.storage.failures()).hasSize(1);
    }
  }

  /** So that the replica can be replaced, although other regions on this disk may be damaged. */
  @Test
  void damagedRowsOfARegionWithoutAnEndAreRemovedUnread() throws Exception {
    RecordingListener listener = new RecordingListener();
    try (TestRegion region = openDamaged(listener)) {
      region.storage.remove(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      RegionStore again = region.storage.region(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      again.open();
      assertThat(again.get(Key.utf8("k"))).isEmpty();
      assertThat(listener.damages).isEmpty();
    }
  }

  /** A region with a row that cannot be read. */
  private TestRegion openDamaged(RecordingListener listener) throws Exception {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", VALUE));
      region.flush();
    }
    damageTables();
    return TestRegion.open(directory, TestRegion.OPTIONS, listener);
  }

  /** Changes the rows of the data, not the tables' indexes, which are read when they are opened. */
  private void damageTables() throws IOException {
    int damaged = 0;
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path table : files.filter(file -> file.toString().endsWith(".sst")).toList()) {
        byte[] bytes = Files.readAllBytes(table);
        int value = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(VALUE.substring(10));
        if (value >= 0) {
          bytes[value] ^= 1;
          Files.write(table, bytes);
          damaged++;
        }
      }
    }
    assertThat(damaged).isPositive();
  }
}
