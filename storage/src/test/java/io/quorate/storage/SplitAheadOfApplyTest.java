package io.quorate.storage;

import static io.quorate.storage.RegionLog.split;
import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.OutOfRangeException;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Splits with replies at commit and read acceleration: what comes after one is not applied yet. */
class SplitAheadOfApplyTest extends AheadOfApplyFixture {
  private static final ClientId ANN = new ClientId(1, 1);
  private static final KeyRange LEFT = KeyRange.of(Key.EMPTY, Key.utf8("m"));

  private static final StorageOptions COST_MODEL =
      BOTH.toBuilder().scans(StorageOptions.Scans.COST_MODEL).build();

  @Test
  void onlyWritesOfKeysThatStayAreAcknowledgedAtCommit() throws IOException {
    try (TestRegion region = examples()) {
      CompletableFuture<Result> before = commit(region, by(ANN, 1, 1, put("z", "1")));
      CompletableFuture<Result> split = commit(region, untagged(split("m", 7)));
      CompletableFuture<Result> moved = commit(region, by(ANN, 2, 1, put("z", "2")));
      CompletableFuture<Result> repeated = commit(region, by(ANN, 1, 1, put("z", "1")));
      CompletableFuture<Result> across =
          commit(region, untagged(new Operation.Batch(List.of(put("a", "1"), put("z", "3")))));
      CompletableFuture<Result> stays = commit(region, by(ANN, 3, 1, put("a", "1")));
      assertThat(List.of(before, stays))
          .allSatisfy(result -> assertThat(result).isCompletedWithValue(Result.DONE));
      List<CompletableFuture<Result>> open = List.of(split, moved, repeated, across);
      assertThat(open).noneMatch(CompletableFuture::isDone);
      releaseWrites();
      assertThat(TestRegion.results(open))
          .containsExactly(
              Result.DONE, Result.OUT_OF_RANGE, Result.OUT_OF_RANGE, Result.OUT_OF_RANGE);
      region.awaitApplied(region.lastIndex());
      RegionLog child = child(region);
      assertThat(child.get("z")).contains("1");
      assertThat(child.apply(by(ANN, 1, 1, put("z", "5")))).isEqualTo(Result.DONE);
      assertThat(child.get("z")).contains("1");
    }
  }

  /** The keys may have other values in the child, of which this replica has none yet. */
  @Test
  void aReadThatSeesTheSplitDoesNotReturnKeysThatHaveLeft() throws IOException {
    try (TestRegion region = examples(COST_MODEL)) {
      commit(region, untagged(put("z", "1")));
      assertThat(region.get("z")).contains("1");
      commit(region, untagged(split("m", 7)));
      commit(region, untagged(put("a", "1")));
      region.store.awaitReadable(TestRegion.at(region.lastIndex())).toCompletableFuture().join();
      assertThat(region.store.applied().index()).as("nothing is applied").isZero();
      assertThat(region.store.range()).isEqualTo(LEFT);
      assertThat(region.get("a")).contains("1");
      assertThat(region.rows()).isEqualTo(Map.of("a", "1"));
      assertThatThrownBy(() -> region.get("z")).isInstanceOf(OutOfRangeException.class);
      assertThatThrownBy(() -> region.store.planScan(KeyRange.ALL, ScanOrder.FORWARD, 5))
          .isInstanceOf(OutOfRangeException.class);
      assertThatThrownBy(() -> region.store.scan(KeyRange.ALL, 5, 100, ScanPlan.MERGE))
          .isInstanceOf(OutOfRangeException.class);
    }
  }

  /** Predictions begin again with the shape of the state, and then pass the waiting split. */
  @Test
  void anOpenedRegionContinuesAheadOfAWaitingSplit() throws IOException {
    try (TestRegion region = examples()) {
      commit(region, untagged(put("z", "1")));
      CompletableFuture<Result> split = commit(region, untagged(split("m", 7)));
      CompletableFuture<Void> reopened =
          CompletableFuture.runAsync(
              () -> {
                try {
                  region.store.open();
                } catch (IOException e) {
                  throw new IllegalStateException(e);
                }
              });
      releaseWrites();
      reopened.join();
      assertThat(TestRegion.results(List.of(split))).containsExactly(Result.DONE);
      assertThat(region.store.range()).isEqualTo(LEFT);
      assertThat(TestRegion.results(List.of(commit(region, untagged(put("z", "2"))))))
          .containsExactly(Result.OUT_OF_RANGE);
      assertThat(child(region).get("z")).contains("1");
    }
  }

  @Test
  void theChildAnswersAheadOfItsOwnApplierFromTheCopiedSessions() throws IOException {
    try (TestRegion region = TestRegion.open(directory, BOTH)) {
      region.apply(by(ANN, 1, 1, put("y", "1")));
      region.apply(by(ANN, 2, 1, incrementAndGet("z", 1)));
      region.applyOne(split("m", 7));
      RegionLog child = child(region);
      blockWrites(region);
      CompletableFuture<Result> repeated =
          child.commit(List.of(by(ANN, 1, 1, put("y", "9")))).get(0);
      CompletableFuture<Result> sum =
          child.commit(List.of(by(ANN, 2, 1, incrementAndGet("z", 1)))).get(0);
      assertThat(repeated).isCompletedWithValue(Result.DONE);
      assertThat(sum).isNotDone();
      assertThat(child.get("y")).contains("1");
      assertThat(child.get("z")).contains("1");
      releaseWrites();
      assertThat(TestRegion.results(List.of(sum))).containsExactly(number(1));
    }
  }

  private static RegionLog child(TestRegion region) throws IOException {
    return new RegionLog(region.storage.region(new GroupId(7), Keyspace.DATA));
  }
}
