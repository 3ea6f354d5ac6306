package io.quorate.storage;

import static io.quorate.storage.RegionLog.absorb;
import static io.quorate.storage.RegionLog.freeze;
import static io.quorate.storage.RegionLog.split;
import static io.quorate.storage.RegionLog.unfreeze;
import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.read.OutOfRangeException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Merges with replies at commit and read acceleration: what comes after one is not applied yet. */
class MergeAheadOfApplyTest extends AheadOfApplyFixture {
  private static final GroupId RIGHT = new GroupId(2);
  private static final KeyRange LOWER = KeyRange.of(Key.EMPTY, Key.utf8("m"));
  private static final KeyRange UPPER = KeyRange.from(Key.utf8("m"));
  private static final int MERGE = 3;
  private static final ClientId ANN = new ClientId(1, 1);

  private TestRegion left() throws IOException {
    return TestRegion.open(directory.resolve("node"), BOTH, StorageListener.NONE, LOWER);
  }

  private static RegionLog right(Storage storage) throws IOException {
    return new RegionLog(storage.region(RIGHT, UPPER, Keyspace.DATA));
  }

  /** Of a region with the rows x and z, and a result of a client. */
  private Operation.Absorb absorbed() throws IOException {
    try (Storage other =
        Storage.open(directory.resolve("other"), TestRegion.OPTIONS, MetricsSink.NONE)) {
      RegionLog right = right(other);
      right.apply(put("x", "1"));
      right.apply(by(ANN, 1, 1, put("z", "1")));
      right.apply(freeze(MERGE));
      return absorb(right.store, MERGE);
    }
  }

  @Test
  void keysThatAreReceivedAreWrittenAtOnceAndReadWhenTheirRowsAreApplied() throws IOException {
    Operation.Absorb absorb = absorbed();
    try (TestRegion left = left()) {
      RegionLog behind = right(left.storage);
      behind.apply(put("z", "9"));
      behind.apply(put("y", "9"));
      blockWrites(left);
      CompletableFuture<Result> early = commit(left, untagged(put("z", "0")));
      CompletableFuture<Result> absorbing = commit(left, untagged(absorb));
      CompletableFuture<Result> repeated = commit(left, by(ANN, 1, 1, put("z", "7")));
      CompletableFuture<Result> written = commit(left, untagged(put("x", "2")));
      CompletableFuture<Result> sum = commit(left, untagged(incrementAndGet("z", 1)));
      assertThat(List.of(repeated, written))
          .allSatisfy(result -> assertThat(result).isCompletedWithValue(Result.DONE));
      assertThat(List.of(early, absorbing, sum)).noneMatch(CompletableFuture::isDone);
      left.store.awaitReadable(TestRegion.at(left.lastIndex())).toCompletableFuture().join();
      assertThat(left.store.range()).as("the rows here are obsolete").isEqualTo(LOWER);
      for (String key : List.of("x", "y", "z")) {
        assertThatThrownBy(() -> left.get(key)).isInstanceOf(OutOfRangeException.class);
      }
      releaseWrites();
      assertThat(TestRegion.results(List.of(early, absorbing, sum)))
          .containsExactly(Result.OUT_OF_RANGE, Result.DONE, number(2));
      left.awaitApplied(left.lastIndex());
      assertThat(left.store.range()).isEqualTo(KeyRange.ALL);
      assertThat(left.rows()).isEqualTo(Map.of("x", "2", "z", "2"));
    }
  }

  @Test
  void keysThatLeaveAgainAreNotRead() throws IOException {
    Operation.Absorb absorb = absorbed();
    try (TestRegion left = left()) {
      blockWrites(left);
      commit(left, untagged(absorb));
      commit(left, untagged(split("p", 4)));
      releaseWrites();
      left.awaitApplied(left.lastIndex());
      assertThat(left.store.range()).isEqualTo(KeyRange.of(Key.EMPTY, Key.utf8("p")));
      assertThatThrownBy(() -> left.get("z")).isInstanceOf(OutOfRangeException.class);
      RegionLog child = new RegionLog(left.storage.region(new GroupId(4), Keyspace.DATA));
      assertThat(child.get("z")).contains("1");
    }
  }

  @Test
  void aFrozenRegionAcknowledgesAndReadsNothingMore() throws IOException {
    try (TestRegion left = left()) {
      RegionLog right = right(left.storage);
      right.apply(put("z", "1"));
      blockWrites(left);
      right.commit(List.of(untagged(freeze(MERGE))));
      CompletableFuture<Result> late = right.commit(List.of(untagged(put("z", "2")))).get(0);
      assertThat(late).isNotDone();
      assertThatThrownBy(() -> right.get("z")).isInstanceOf(OutOfRangeException.class);
      right.commit(List.of(untagged(unfreeze(MERGE))));
      CompletableFuture<Result> later = right.commit(List.of(untagged(put("y", "2")))).get(0);
      assertThat(later).isCompletedWithValue(Result.DONE);
      releaseWrites();
      assertThat(TestRegion.results(List.of(late))).containsExactly(Result.OUT_OF_RANGE);
      assertThat(right.apply(put("x", "1"))).isEqualTo(Result.DONE);
      assertThat(TestRegion.rows(right.store)).isEqualTo(Map.of("x", "1", "y", "2", "z", "1"));
    }
  }
}
