package io.quorate.storage;

import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Database;
import io.quorate.storage.rocks.DatabaseBatch;
import io.quorate.storage.rocks.Family;
import io.quorate.storage.rocks.NativeLeakDetector;
import io.quorate.storage.rocks.NativeScope;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StorageTest {
  @TempDir Path directory;

  @Test
  void newRegionIsEmpty() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.opened).isEqualTo(Position.NONE);
      assertThat(region.store.durable()).isEqualTo(Position.NONE);
      assertThat(region.get("k")).isEmpty();
    }
  }

  @Test
  void durablePositionFollowsFlushesOnly() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v"));
      region.apply(put("k", "w"));
      assertThat(region.store.applied()).isEqualTo(TestRegion.at(1));
      assertThat(region.store.durable()).isEqualTo(Position.NONE);
      assertThat(region.flush()).isEqualTo(TestRegion.at(1));
      region.apply(put("k", "x"));
      assertThat(region.store.durable()).isEqualTo(TestRegion.at(1));
    }
  }

  @Test
  void flushesPeriodically() throws IOException {
    StorageOptions often =
        TestRegion.OPTIONS.toBuilder().flushInterval(Duration.ofMillis(20)).build();
    try (TestRegion region = TestRegion.open(directory, often)) {
      region.apply(put("k", "v"));
      await().untilAsserted(() -> assertThat(region.store.durable()).isEqualTo(TestRegion.at(0)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void closingFlushes(StorageOptions.Wal wal) throws IOException {
    StorageOptions options = TestRegion.OPTIONS.toBuilder().wal(wal).build();
    try (TestRegion region = TestRegion.open(directory, options)) {
      region.apply(put("k", "v"));
    }
    try (TestRegion region = TestRegion.open(directory, options)) {
      assertThat(region.opened).isEqualTo(TestRegion.at(0));
      assertThat(region.get("k")).contains("v");
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"ON", "SYNCED"})
  void writeAheadLogRestoresUnflushedWrites(StorageOptions.Wal log) throws IOException {
    StorageOptions wal = TestRegion.OPTIONS.toBuilder().wal(log).build();
    Path copy = directory.resolve("copy");
    Path home = directory.resolve("home");
    try (TestRegion region = TestRegion.open(home, wal)) {
      region.apply(put("k", "v"));
      CrashCopy.take(region.storage, home, copy);
    }
    try (TestRegion region = TestRegion.open(copy, wal)) {
      assertThat(region.opened).isEqualTo(TestRegion.at(0));
      assertThat(region.get("k")).contains("v");
    }
  }

  @Test
  void withoutAWriteAheadLogUnflushedWritesAreLost() throws IOException {
    Path copy = directory.resolve("copy");
    Path home = directory.resolve("home");
    try (TestRegion region = TestRegion.open(home)) {
      region.apply(put("k", "v"));
      CrashCopy.take(region.storage, home, copy);
    }
    try (TestRegion region = TestRegion.open(copy)) {
      assertThat(region.opened).isEqualTo(Position.NONE);
      assertThat(region.get("k")).isEmpty();
    }
  }

  @Test
  void regionIsReopenedInTheSameProcess() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v"));
      region.flush();
      region.apply(put("k", "w"));
      assertThat(region.store.open()).isEqualTo(TestRegion.at(0));
      region.commitAt(1, List.of(TestRegion.untagged(put("k", "w"))));
      region.commitAt(2, List.of(TestRegion.untagged(put("k", "x"))));
      region.awaitApplied(2);
      assertThat(region.get("k")).contains("x");
    }
  }

  @Test
  void directoryIsUsedByOneStorageAtATime() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      assertThatThrownBy(() -> TestRegion.open(directory))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("Opening the database in");
      assertThat(region.get("k")).isEmpty();
    }
  }

  @Test
  void otherFormatIsRejected() throws Exception {
    try (TestRegion region = TestRegion.open(directory)) {
      Database database = region.storage.database();
      try (DatabaseBatch batch = database.batch()) {
        batch.put(Family.META, new byte[] {'f'}, new byte[] {0, 0, 0, 9});
        database.write(batch);
      }
    }
    assertThatThrownBy(() -> TestRegion.open(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has format 9, this program reads format 1 without bodies");
  }

  @Test
  void damagedTableIsDetected() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v".repeat(100)));
    }
    try (var files = Files.list(directory.resolve("db"))) {
      for (Path table : files.filter(file -> file.toString().endsWith(".sst")).toList()) {
        byte[] bytes = Files.readAllBytes(table);
        bytes[0] ^= 1;
        Files.write(table, bytes);
      }
    }
    assertThatThrownBy(() -> TestRegion.open(directory).close())
        .isInstanceOf(IOException.class)
        .hasMessageContaining("checksum mismatch");
  }

  /** Whatever its caller knows: the range is part of the state. */
  @Test
  void aRegionKeepsItsFirstRange() throws IOException {
    KeyRange other = KeyRange.from(Key.utf8("b"));
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.storage.region(TestRegion.GROUP, other, Keyspace.DATA))
          .isSameAs(region.store);
      assertThat(region.store.range()).isEqualTo(KeyRange.ALL);
    }
    try (TestRegion region =
        TestRegion.open(directory, TestRegion.OPTIONS, StorageListener.NONE, other)) {
      assertThat(region.opened).isEqualTo(Position.NONE);
      assertThat(region.store.range()).isEqualTo(KeyRange.ALL);
    }
  }

  @Test
  void aRegionHasOneKeyspace() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      assertThatThrownBy(
              () -> region.storage.region(TestRegion.GROUP, KeyRange.ALL, Keyspace.SYSTEM))
          .isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void closedStorageRejectsEveryCall() throws IOException {
    TestRegion region = TestRegion.open(directory);
    region.close();
    region.close();
    assertThatThrownBy(() -> region.store.open()).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.store.scan(KeyRange.ALL, 1, 1))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.store.exportSnapshot(directory))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> region.storage.region(new GroupId(2), KeyRange.ALL, Keyspace.SYSTEM))
        .isInstanceOf(IllegalStateException.class);
    assertThat(region.store.flush().toCompletableFuture()).isCompletedExceptionally();
  }

  @Test
  void storageWithAnOpenCursorIsNotClosed() throws IOException {
    TestRegion region = TestRegion.open(directory);
    region.apply(put("k", "v"));
    NativeScope scan = region.storage.database().child("forgotten scan");
    Database.Cursor cursor =
        region
            .storage
            .database()
            .cursor(scan, Family.DATA, new byte[0], Optional.empty(), Optional.empty());
    assertThat(cursor.isAtRow()).isTrue();
    assertThatThrownBy(region::close)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("forgotten scan");
    assertThat(NativeLeakDetector.open()).containsKeys("RocksIterator", "RocksDB");
    scan.close();
    region.close();
    assertThat(NativeLeakDetector.open()).isEmpty();
  }

  @Test
  void optionsOutOfBoundsAreNamed() {
    assertThatThrownBy(() -> StorageOptions.DEFAULT.toBuilder().applyThreads(0).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("Storage option applyThreads is at least 1, not 0.");
    assertThat(StorageOptions.DEFAULT.toBuilder().build()).isEqualTo(StorageOptions.DEFAULT);
  }

  @Test
  void reportsMetrics() throws IOException {
    Measurements measured = new Measurements();
    try (Storage storage = Storage.open(directory, TestRegion.OPTIONS, measured)) {
      RegionStore store = storage.region(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      store.open();
      store.committed(
          new CommittedBatch(
              TestRegion.at(0),
              List.of(
                  TestRegion.untagged(put("a", "1")).encoded(),
                  TestRegion.untagged(put("b", "2")).encoded()),
              CommittedBatch.Results.UNWANTED));
      store.flush().toCompletableFuture().join();
      store.awaitReadable(TestRegion.at(0)).toCompletableFuture().join();
      await()
          .untilAsserted(
              () -> {
                assertThat(measured.values.get("storage.apply.batches")).hasValue(1);
                assertThat(measured.values.get("storage.apply.commands")).hasValue(2);
                assertThat(measured.values.get("storage.flushes"))
                    .satisfies(count -> assertThat(count.get()).isPositive());
                assertThat(measured.gauges.get("storage.apply.queue.batches").getAsDouble())
                    .isZero();
              });
      assertThat(measured.gauges.get("storage.rocksdb.memtable.bytes").getAsDouble()).isPositive();
      assertThat(measured.gauges.get("storage.failures").getAsDouble()).isZero();
    }
    assertThat(measured.gauges.get("storage.rocksdb.memtable.bytes").getAsDouble()).isNaN();
  }
}
