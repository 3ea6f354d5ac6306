package io.quorate.storage;

import static io.quorate.storage.TestRegion.at;
import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

/** Replies at commit and reads of committed writes while the applier is blocked. */
class AheadOfApplyTest extends AheadOfApplyFixture {
  private static final ClientId ALICE = new ClientId(1, 1);
  private static final ClientId BOB = new ClientId(1, 2);

  /** The value in memory is the applied one, which is not the newest. */
  @Test
  void aCachedReadReturnsNothingForAKeyWithPendingChanges() throws IOException {
    try (TestRegion region = examples()) {
      commit(region, TestRegion.untagged(put("x", "9"))).join();

      assertThat(region.store.getCached(Key.utf8("x"))).isEmpty();
      assertThat(region.get("x")).contains("9");
      // A change is dropped from those in memory shortly after it is applied.
      await()
          .untilAsserted(
              () -> assertThat(region.store.getCached(Key.utf8("y"))).contains(new byte[] {'0'}));
    }
  }

  @Test
  void readsApplyPendingOperationsToTheState() throws IOException {
    try (TestRegion region = examples()) {
      commitAll(region, increment("x", 5), TestRegion.append("y", "1"));
      commitAll(region, incrementAndGet("x", 2));
      commitAll(
          region,
          new Operation.CompareAndSet(
              Key.utf8("x"),
              Optional.of(TestRegion.bytes("7")),
              Optional.of(TestRegion.bytes("70"))));
      assertThat(region.get("x")).contains("70");
      assertThat(region.get("y")).contains("01");
      assertThat(scan(region, "x", 9)).isEqualTo(Map.of("x", "70", "y", "01", "z", "0"));
    }
  }

  /** Between their write and their removal from the overlay, changes are in both. */
  @Test
  void changesThatAreWrittenAreNotAppliedTwice() throws IOException {
    try (TestRegion region = TestRegion.open(directory, BOTH)) {
      // The last operation completes after its batch has passed the failpoint.
      region.apply(put("x", "1"), put("y", "1"), incrementAndGet("z", 1));
      blockWrites(region, StoragePoints.AFTER_WRITE);
      commitAll(region, increment("x", 5), TestRegion.append("y", "1"));
      region.awaitApplied(region.lastIndex());
      assertThat(region.get("x")).contains("6");
      assertThat(scan(region, "x", 9)).isEqualTo(Map.of("x", "6", "y", "11", "z", "1"));
    }
  }

  /** Result-free operations complete before they are applied; the others do not. */
  @Test
  void resultFreeOperationsCompleteAtCommit() throws IOException {
    try (TestRegion region = examples()) {
      List<CompletableFuture<Result>> results =
          commitAll(
              region,
              put("a", "1"),
              delete("b"),
              TestRegion.append("c", "1"),
              increment("d", 1),
              new Operation.Batch(List.of(put("e", "1"), delete("f"))),
              incrementAndGet("d", 1),
              TestRegion.getAndPut("a", "2"));
      for (CompletableFuture<Result> result : results.subList(0, 5)) {
        assertThat(result).isCompletedWithValue(Result.DONE);
      }
      assertThat(results.get(5)).isNotDone();
      assertThat(results.get(6)).isNotDone();
      releaseWrites();
      assertThat(TestRegion.results(results).subList(5, 7))
          .containsExactly(new Result.Number(2), TestRegion.value("1"));
    }
  }

  /** A retry has the result of the first request, also before that is applied, and no effect. */
  @Test
  void retriesCompleteAtCommitAndHaveNoEffect() throws IOException {
    try (TestRegion region = examples()) {
      CompletableFuture<Result> first = commit(region, by(ALICE, 1, 1, put("x", "1")));
      CompletableFuture<Result> other = commit(region, by(BOB, 1, 1, put("x", "2")));
      CompletableFuture<Result> retry = commit(region, by(ALICE, 1, 1, put("x", "1")));
      assertThat(List.of(first, other, retry))
          .allSatisfy(result -> assertThat(result).isCompletedWithValue(Result.DONE));
      assertThat(region.get("x")).contains("2");
      assertThat(scan(region, "x", 1)).isEqualTo(Map.of("x", "2"));
      releaseWrites();
      region.awaitApplied(region.lastIndex());
      assertThat(region.get("x")).contains("2");
    }
  }

  /** Requests that applying does not complete with "done" are left to the applier. */
  @Test
  void unpredictableRequestsCompleteAtApply() throws IOException {
    KeyRange range = KeyRange.of(Key.utf8("a"), Key.utf8("m"));
    try (TestRegion region = TestRegion.open(directory, BOTH, StorageListener.NONE, range, 2)) {
      blockWrites(region);
      CompletableFuture<Result> outside = commit(region, untagged(put("z", "1")));
      CompletableFuture<Result> partly =
          commit(region, untagged(new Operation.Batch(List.of(put("b", "1"), put("z", "1")))));
      CompletableFuture<Result> malformed =
          region.commitBytes(2, List.of(ByteBuffer.allocate(3))).get(0);
      CompletableFuture<Result> sum =
          region.commitAt(3, List.of(by(ALICE, 5, 5, incrementAndGet("c", 4)))).get(0);
      CompletableFuture<Result> sumAgain =
          region.commitAt(4, List.of(by(ALICE, 5, 5, put("c", "5")))).get(0);
      CompletableFuture<Result> late =
          region.commitAt(5, List.of(by(ALICE, 4, 1, put("c", "6")))).get(0);
      CompletableFuture<Result> second =
          region.commitAt(6, List.of(by(ALICE, 6, 5, put("d", "1")))).get(0);
      CompletableFuture<Result> beyond =
          region.commitAt(7, List.of(by(ALICE, 7, 5, put("d", "2")))).get(0);
      assertThat(second).isCompletedWithValue(Result.DONE);
      List<CompletableFuture<Result>> unpredictable =
          List.of(outside, partly, malformed, sum, sumAgain, late, beyond);
      assertThat(unpredictable).noneMatch(CompletableFuture::isDone);
      assertThat(region.rows()).isEqualTo(Map.of("c", "4", "d", "1"));
      releaseWrites();
      List<Result> results = TestRegion.results(unpredictable);
      assertThat(results.subList(0, 2)).containsOnly(Result.OUT_OF_RANGE);
      assertThat(results.get(2)).isInstanceOf(Result.Refused.class);
      assertThat(results.subList(3, 6))
          .containsExactly(new Result.Number(4), new Result.Number(4), Result.FORGOTTEN);
      assertThat(results.get(6)).isEqualTo(Result.FORGOTTEN);
      assertThat(region.rows()).isEqualTo(Map.of("c", "4", "d", "1"));
    }
  }

  @Test
  void everyCommandCompletesOnce() throws IOException {
    try (TestRegion region = examples()) {
      AtomicIntegerArray completions = new AtomicIntegerArray(2);
      region.store.committed(
          new CommittedBatch(
              at(1),
              List.of(
                  untagged(put("x", "1")).encoded(), untagged(incrementAndGet("x", 1)).encoded()),
              (command, result) -> completions.incrementAndGet(command)));
      assertThat(completions.get(0)).isEqualTo(1);
      releaseWrites();
      TestRegion.results(region.commitAt(2, List.of(untagged(incrementAndGet("y", 1)))));
      assertThat(region.get("x")).contains("2");
      assertThat(completions.get(0)).isEqualTo(1);
      assertThat(completions.get(1)).isEqualTo(1);
    }
  }

  /** Replies at commit and accelerated reads are independent of each other. */
  @Test
  void readsWaitIfOnlyRepliesAreAtCommit() throws IOException {
    StorageOptions replies = TestRegion.OPTIONS.toBuilder().replyAtCommit(true).build();
    try (TestRegion region = TestRegion.open(directory, replies)) {
      blockWrites(region);
      assertThat(commit(region, untagged(put("x", "1")))).isCompletedWithValue(Result.DONE);
      CompletableFuture<Void> readable =
          region.store.awaitReadable(at(region.lastIndex())).toCompletableFuture();
      assertThat(readable).isNotDone();
      assertThat(region.get("x")).isEmpty();
      releaseWrites();
      readable.join();
      assertThat(region.get("x")).contains("1");
    }
  }

  @Test
  void resultsWaitIfOnlyReadsAreAccelerated() throws IOException {
    StorageOptions reads = TestRegion.OPTIONS.toBuilder().readAcceleration(true).build();
    try (TestRegion region = TestRegion.open(directory, reads)) {
      blockWrites(region);
      CompletableFuture<Void> readable = region.store.awaitReadable(at(0)).toCompletableFuture();
      CompletableFuture<Result> result = commit(region, untagged(put("x", "1")));
      assertThat(result).isNotDone();
      assertThat(readable).isCompleted();
      assertThat(region.get("x")).contains("1");
    }
  }

  /** A region that is reopened while batches wait to be applied still reads them. */
  @Test
  void reopeningKeepsWaitingBatches() throws Exception {
    try (TestRegion region = examples()) {
      commit(region, by(ALICE, 1, 1, put("x", "1")));
      Thread opening = new Thread(() -> reopen(region));
      opening.start();
      releaseWrites();
      opening.join();
      commit(region, by(ALICE, 1, 1, put("x", "3")));
      assertThat(region.get("x")).contains("1");
      region.awaitApplied(region.lastIndex());
      assertThat(region.get("x")).contains("1");
      // Delivered again, they change nothing and are completed by the applier.
      List<CompletableFuture<Result>> again =
          region.commitAt(1, List.of(by(ALICE, 1, 1, put("x", "1"))));
      assertThat(TestRegion.results(again)).containsExactly(Result.DONE);
      assertThat(region.get("x")).contains("1");
    }
  }

  private static void reopen(TestRegion region) {
    try {
      region.store.open();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** After an install, the overlay is empty and the sessions are those of the snapshot. */
  @Test
  void anInstallClearsTheOverlay() throws IOException {
    Path exported = Files.createDirectory(directory.resolve("exported"));
    try (TestRegion source = TestRegion.open(directory.resolve("source"), BOTH)) {
      source.apply(put("x", "old"));
      source.apply(by(ALICE, 1, 1, put("x", "new")));
      source.awaitApplied(1);
      assertThat(source.store.exportSnapshot(exported)).isEqualTo(at(1));
    }
    try (TestRegion target = TestRegion.open(directory.resolve("target"), BOTH)) {
      target.apply(put("x", "old"));
      target.store.install(exported, at(1));
      assertThat(target.get("x")).contains("new");
      blockWrites(target);
      CompletableFuture<Result> retry =
          target.commitAt(2, List.of(by(ALICE, 1, 1, put("x", "newer")))).get(0);
      assertThat(retry).isCompletedWithValue(Result.DONE);
      assertThat(target.get("x")).contains("new");
    }
  }

  @Test
  void aFullOverlayCausesBackPressure() throws IOException {
    StorageOptions small = BOTH.toBuilder().overlayChanges(2).build();
    try (TestRegion region = TestRegion.open(directory, small)) {
      blockWrites(region);
      assertThat(capacityAfterCommit(region, 0)).isCompleted();
      CompletableFuture<Void> full = capacityAfterCommit(region, 1);
      assertThat(full).isNotDone();
      releaseWrites();
      full.join();
      assertThat(region.store.applied().covers(at(0))).isTrue();
    }
  }

  private static CompletableFuture<Void> capacityAfterCommit(TestRegion region, long index) {
    return region.committed(index, List.of(untagged(put("x", "1")))).toCompletableFuture();
  }
}
