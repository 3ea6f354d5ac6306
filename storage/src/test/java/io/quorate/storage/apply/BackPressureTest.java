package io.quorate.storage.apply;

import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.ConsensusException;
import io.quorate.storage.TestRegion;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackPressureTest {
  @TempDir Path directory;

  /** Blocks writes until released. */
  private static final class BlockedWrites {
    private final CountDownLatch release = new CountDownLatch(1);

    BlockedWrites() {
      StoragePoints.BEFORE_WRITE.on((at, region) -> awaitRelease());
    }

    private void awaitRelease() {
      boolean released = false;
      while (!released) {
        try {
          release.await();
          released = true;
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
    }
  }

  @AfterEach
  void releaseWrites() {
    StoragePoints.BEFORE_WRITE.off();
  }

  private static CompletableFuture<Void> commit(TestRegion region, long index, ByteBuffer command) {
    return region
        .store
        .committed(
            new CommittedBatch(
                TestRegion.at(index), List.of(command), CommittedBatch.Results.UNWANTED))
        .toCompletableFuture();
  }

  @Test
  void theMaximumNumberOfBatchesCausesBackPressure() throws Exception {
    BlockedWrites blocked = new BlockedWrites();
    StorageOptions three = TestRegion.OPTIONS.toBuilder().applyQueueBatches(3).build();
    try (TestRegion region = TestRegion.open(directory, three, StorageListener.NONE)) {
      ByteBuffer command = TestRegion.untagged(put("k", "v")).encoded();
      assertThat(commit(region, 0, command)).isCompleted();
      assertThat(commit(region, 1, command)).isCompleted();
      CompletableFuture<Void> full = commit(region, 2, command);
      assertThat(full).isNotDone();
      assertThat(region.store.applied().index()).isEqualTo(-1);
      blocked.release.countDown();
      full.join();
      region.awaitApplied(2);
      // The applied batches leave the queue shortly after they count as applied.
      commit(region, 3, command).orTimeout(30, TimeUnit.SECONDS).join();
    }
  }

  @Test
  void theMaximumNumberOfBytesCausesBackPressure() throws Exception {
    BlockedWrites blocked = new BlockedWrites();
    StorageOptions small = TestRegion.OPTIONS.toBuilder().applyQueueBytes(1_000).build();
    try (TestRegion region = TestRegion.open(directory, small, StorageListener.NONE)) {
      ByteBuffer command = TestRegion.untagged(put("k", "v".repeat(400))).encoded();
      assertThat(commit(region, 0, command)).isCompleted();
      assertThat(commit(region, 1, command)).isCompleted();
      CompletableFuture<Void> full = commit(region, 2, command);
      assertThat(full).isNotDone();
      blocked.release.countDown();
      full.join();
      region.awaitApplied(2);
      assertThat(region.get("k")).contains("v".repeat(400));
    }
  }

  @Test
  void readsContinueWhileWritesAreBlocked() throws Exception {
    BlockedWrites blocked = new BlockedWrites();
    try (TestRegion region = TestRegion.open(directory, TestRegion.OPTIONS, StorageListener.NONE)) {
      commit(region, 0, TestRegion.untagged(put("k", "v")).encoded());
      assertThat(region.get("k")).isEmpty();
      blocked.release.countDown();
      region.awaitApplied(0);
      assertThat(region.get("k")).contains("v");
    }
  }

  @Test
  void closingFailsPendingFutures() throws Exception {
    BlockedWrites blocked = new BlockedWrites();
    StorageOptions one = TestRegion.OPTIONS.toBuilder().applyQueueBatches(1).build();
    TestRegion region = TestRegion.open(directory, one, StorageListener.NONE);
    ByteBuffer command = TestRegion.untagged(put("k", "v")).encoded();
    CompletableFuture<Void> capacity = commit(region, 0, command);
    CompletableFuture<Void> reached =
        region.store.awaitReadable(TestRegion.at(5)).toCompletableFuture();
    AtomicBoolean closed = new AtomicBoolean();
    Thread closing =
        new Thread(
            () -> {
              region.close();
              closed.set(true);
            });
    closing.start();
    assertThatThrownBy(capacity::join)
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ConsensusException.Unavailable.class);
    assertThatThrownBy(reached::join).hasCauseInstanceOf(ConsensusException.Unavailable.class);
    // Closing waits for the write in progress before it frees the memory.
    assertThat(closed).isFalse();
    blocked.release.countDown();
    await().untilTrue(closed);
    closing.join();
    assertThat(commit(region, 1, command)).isCompletedExceptionally();
    assertThat(region.store.awaitReadable(TestRegion.at(9)).toCompletableFuture())
        .isCompletedExceptionally();
    assertThatThrownBy(() -> region.get("k"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("The storage is closed.");
  }

  @Test
  void waitingForAPositionEndsWhenItIsApplied() throws Exception {
    try (TestRegion region = TestRegion.open(directory)) {
      CompletableFuture<Void> third =
          region.store.awaitReadable(TestRegion.at(3)).toCompletableFuture();
      CompletableFuture<Void> first =
          region.store.awaitReadable(TestRegion.at(1)).toCompletableFuture();
      ByteBuffer command = TestRegion.untagged(put("k", "v")).encoded();
      commit(region, 2, command);
      first.join();
      assertThat(third).isNotDone();
      commit(region, 4, command);
      third.join();
      assertThat(region.store.awaitReadable(TestRegion.at(4)).toCompletableFuture()).isCompleted();
    }
  }

  @Test
  void waitersAreBoundedAndACancelledOneFreesCapacity() {
    AppliedWaiters waiters = new AppliedWaiters(() -> TestRegion.at(0));
    CompletableFuture<Void> first = waiters.await(TestRegion.at(1)).toCompletableFuture();
    for (int i = 1; i < AppliedWaiters.WAITERS_MAX; i++) {
      waiters.await(TestRegion.at(1));
    }
    assertThatThrownBy(waiters.await(TestRegion.at(1)).toCompletableFuture()::join)
        .hasCauseInstanceOf(ConsensusException.Overloaded.class);
    first.cancel(false);
    assertThat(waiters.await(TestRegion.at(1)).toCompletableFuture()).isNotDone();
    waiters.close();
    assertThat(waiters.count()).isZero();
  }
}
