package io.quorate.storage;

import static io.quorate.storage.TestRegion.GROUP;
import static io.quorate.storage.TestRegion.body;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.putBody;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.consensus.BodyId;
import io.quorate.consensus.BodyStorage;
import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.rocks.Family;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The body store as a part of the storage. */
class BodyStorageTest {
  private static final BodyId BODY = new BodyId(GROUP, 1, 0);

  /** Of the thread of the body store. */
  private static final Failpoint BEFORE_SYNC = Failpoint.named("storage.bodies.before-sync");

  @TempDir Path directory;

  @AfterEach
  void switchOff() {
    BEFORE_SYNC.off();
  }

  private static CompletableFuture<Void> add(BodyStorage bodies) {
    return bodies.put(BODY, List.of(ByteBuffer.wrap(new byte[] {1, 2, 3})));
  }

  @Test
  void bodiesAreStoredBesideTheDatabase() throws IOException {
    try (TestRegion region = TestRegion.open(directory, TestRegion.BODIES)) {
      add(region.storage.bodies().orElseThrow()).join();
    }
    assertThat(directory.resolve("bodies")).isNotEmptyDirectory();
    try (TestRegion region = TestRegion.open(directory, TestRegion.BODIES)) {
      assertThat(region.storage.bodies().orElseThrow().get(BODY))
          .contains(ByteBuffer.wrap(new byte[] {1, 2, 3}));
    }
  }

  @Test
  void withoutBodiesRowsAreTheValues() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.storage.bodies()).isEmpty();
      region.apply(put("k", "v"));
      assertThat(region.storage.database().get(Family.DATA, Key.utf8("k").bytes()))
          .contains(new byte[] {'v'});
      assertThat(region.applyOne(putBody("k", body(0, 0)))).isInstanceOf(Result.Refused.class);
    }
    assertThat(directory.resolve("bodies")).doesNotExist();
  }

  @Test
  void rowsOfTheSystemAreTheValuesAlways() throws IOException {
    try (TestRegion region = TestRegion.open(directory, TestRegion.BODIES)) {
      RegionStore system = region.storage.region(new GroupId(0), KeyRange.ALL, Keyspace.SYSTEM);
      system.open();
      Operation put = put("k", "v");
      system.committed(
          new CommittedBatch(
              TestRegion.at(1),
              List.of(TestRegion.untagged(put).encoded()),
              CommittedBatch.Results.UNWANTED));
      await().until(() -> system.applied().index() == 1);
      assertThat(region.storage.database().get(Family.SYSTEM, Key.utf8("k").bytes()))
          .contains(new byte[] {'v'});
      assertThat(system.get(Key.utf8("k"))).contains(new byte[] {'v'});
    }
  }

  @Test
  void bodiesExcludeReadsAndRepliesAheadOfApply() {
    StorageOptions.Builder bodies = StorageOptions.DEFAULT.toBuilder().bodies(true);
    assertThatThrownBy(() -> bodies.replyAtCommit(true).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("excludes");
    assertThatThrownBy(() -> bodies.replyAtCommit(false).readAcceleration(true).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("excludes");
  }

  @Test
  void refusesADatabaseOfTheOtherRowFormat() throws IOException {
    TestRegion.open(directory.resolve("plain")).close();
    assertThatThrownBy(() -> TestRegion.open(directory.resolve("plain"), TestRegion.BODIES))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has format 1, this program reads format 4 with bodies");
    TestRegion.open(directory.resolve("typed"), TestRegion.BODIES).close();
    assertThatThrownBy(() -> TestRegion.open(directory.resolve("typed")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has format 4, this program reads format 1 without bodies");
  }

  @Test
  void reportsAFailedSyncOfBodiesUntilTheNextStart() throws IOException {
    Queue<StorageFailure> failures = new ConcurrentLinkedQueue<>();
    StorageListener listener =
        new StorageListener() {
          @Override
          public void failed(StorageFailure failure) {
            failures.add(failure);
          }

          @Override
          public void recovered(Optional<GroupId> region) {
            throw new AssertionError("A failed fsync of bodies does not end");
          }
        };
    try (TestRegion region = TestRegion.open(directory, TestRegion.BODIES, listener)) {
      BEFORE_SYNC.on(
          (at, records) -> {
            throw new IOException("The disk is broken");
          });
      assertThat(add(region.storage.bodies().orElseThrow())).failsWithin(Duration.ofSeconds(30));
      await().until(() -> !failures.isEmpty());
      region.apply(put("k", "v"));
      region.flush();
      assertThat(region.storage.failures()).containsExactlyElementsOf(failures);
      assertThat(region.storage.bodyStore().orElseThrow().hasFailed()).isTrue();
      assertThat(failures.element().kind()).isEqualTo(StorageFailure.Kind.IO);
      assertThat(failures.element().message()).contains("restarted").contains("The disk is broken");
    }
    BEFORE_SYNC.off();
    try (TestRegion region = TestRegion.open(directory, TestRegion.BODIES, listener)) {
      assertThat(region.storage.failures()).isEmpty();
    }
  }
}
