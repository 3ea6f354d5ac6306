package io.quorate.storage;

import static io.quorate.storage.RegionLog.absorb;
import static io.quorate.storage.RegionLog.freeze;
import static io.quorate.storage.RegionLog.split;
import static io.quorate.storage.RegionLog.unfreeze;
import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static io.quorate.storage.TestRegion.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.read.OutOfRangeException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two regions are merged: what becomes of keys, rows, sessions and requests. */
class MergeTest {
  private static final GroupId LEFT = new GroupId(1);
  private static final GroupId RIGHT = new GroupId(2);
  private static final KeyRange LOWER = KeyRange.of(Key.EMPTY, Key.utf8("m"));
  private static final KeyRange UPPER = KeyRange.from(Key.utf8("m"));
  private static final int MERGE = 3;
  private static final ClientId ANN = new ClientId(1, 1);
  private static final ClientId BEN = new ClientId(1, 2);
  private static final String LONG_VALUE = "x".repeat(1_000);

  @TempDir Path directory;
  private final List<GroupId> merging = new ArrayList<>();
  private Storage storage;
  private RegionLog left;
  private RegionLog right;

  @BeforeEach
  void open() throws IOException {
    storage = open(directory.resolve("node"));
    left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
    right = new RegionLog(storage.region(RIGHT, UPPER, Keyspace.DATA));
  }

  private Storage open(Path node) throws IOException {
    return Storage.open(
        node, TestRegion.OPTIONS, MetricsSink.NONE, StorageListener.ofRegions(merging::add));
  }

  @AfterEach
  void close() {
    StoragePoints.BEFORE_WRITE.off();
    storage.close();
  }

  private Operation.Absorb absorbed() throws IOException {
    return absorb(right.store, MERGE);
  }

  private void merge() throws IOException {
    assertThat(right.apply(freeze(MERGE))).isEqualTo(Result.DONE);
    assertThat(left.apply(absorbed())).isEqualTo(Result.DONE);
  }

  @Test
  void aFrozenRegionHasNoKeysAndKeepsItsRows() throws IOException {
    right.apply(put("z", "1"));
    right.apply(by(ANN, 1, 1, incrementAndGet("y", 1)));
    assertThat(right.apply(freeze(MERGE))).isEqualTo(Result.DONE);
    assertThat(merging).containsExactly(RIGHT);
    assertThat(right.apply(put("z", "2"))).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(right.apply(by(ANN, 1, 1, incrementAndGet("y", 1))))
        .as("a repeated request is repeated at the other region")
        .isEqualTo(Result.OUT_OF_RANGE);
    assertThat(right.apply(new Operation.ExpireSessions(TestRegion.at(100))))
        .isEqualTo(Result.OUT_OF_RANGE);
    assertThatThrownBy(() -> right.get("z")).isInstanceOf(OutOfRangeException.class);
    assertThat(right.store.mergeState().isFrozenBy(new GroupId(MERGE))).isTrue();
    assertThat(left.get("a")).isEmpty();
    assertThatThrownBy(() -> left.get("z")).isInstanceOf(OutOfRangeException.class);
  }

  @Test
  void theRegionHasTheKeysRowsAndSessionsOfBoth() throws IOException {
    left.apply(put("a", "1"));
    right.apply(by(ANN, 1, 1, incrementAndGet("z", 5)));
    right.apply(by(ANN, 2, 1, getAndPut("y", LONG_VALUE)));
    right.apply(by(ANN, 3, 1, getAndPut("y", "short")));
    merge();
    assertThat(left.store.range()).isEqualTo(KeyRange.ALL);
    assertThat(TestRegion.rows(left.store)).isEqualTo(Map.of("a", "1", "y", "short", "z", "5"));
    assertThat(left.apply(by(ANN, 1, 1, incrementAndGet("z", 5)))).isEqualTo(number(5));
    assertThat(left.apply(by(ANN, 3, 1, getAndPut("y", "")))).isEqualTo(value(LONG_VALUE));
    assertThat(left.apply(by(ANN, 4, 4, incrementAndGet("z", 1)))).isEqualTo(number(6));
  }

  @Test
  void theMergeIsDurableWithAFlush() throws IOException {
    right.apply(by(ANN, 1, 1, getAndPut("z", LONG_VALUE)));
    right.apply(by(ANN, 2, 1, getAndPut("z", "2")));
    merge();
    storage.flush();
    storage.close();
    storage = open(directory.resolve("node"));
    assertThat(storage.holds(RIGHT)).isFalse();
    left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
    assertThat(left.store.range()).isEqualTo(KeyRange.ALL);
    assertThat(left.store.newestChange()).isEqualTo(new GroupId(MERGE));
    assertThat(left.get("z")).contains("2");
    assertThat(left.apply(by(ANN, 2, 1, getAndPut("z", "")))).isEqualTo(value(LONG_VALUE));
  }

  /** With the lower floor, the late copy of the forgotten request would take effect twice. */
  @Test
  void theHigherFloorOfAClientCounts() throws IOException {
    right.apply(by(ANN, 5, 5, increment("z", 1)));
    right.apply(by(ANN, 9, 9, increment("z", 1)));
    left.apply(by(ANN, 4, 4, increment("a", 1)));
    left.apply(by(BEN, 8, 8, increment("a", 1)));
    right.apply(by(BEN, 2, 2, incrementAndGet("z", 1)));
    merge();
    assertThat(left.apply(by(ANN, 5, 4, increment("z", 1)))).isEqualTo(Result.FORGOTTEN);
    assertThat(left.apply(by(ANN, 9, 4, increment("z", 1)))).isEqualTo(Result.DONE);
    assertThat(left.apply(by(ANN, 4, 4, increment("a", 1))))
        .as("its result is stored, although it is below the higher floor")
        .isEqualTo(Result.DONE);
    assertThat(left.apply(by(BEN, 2, 2, incrementAndGet("z", 1)))).isEqualTo(number(3));
    assertThat(left.apply(by(BEN, 3, 2, increment("z", 1)))).isEqualTo(Result.FORGOTTEN);
    assertThat(left.get("z")).contains("3");
    assertThat(left.get("a")).contains("2");
    assertThat(left.apply(by(ANN, 10, 8, increment("a", 1)))).isEqualTo(Result.DONE);
    assertThat(left.apply(by(ANN, 4, 4, increment("a", 1))))
        .as("its client has raised the floor above it, and not above the higher one")
        .isEqualTo(Result.FORGOTTEN);
  }

  @Test
  void repeatedAndLateCommandsChangeNothing() throws IOException {
    right.apply(put("z", "1"));
    right.apply(freeze(MERGE));
    Operation.Absorb absorb = absorbed();
    assertThat(left.apply(absorb)).isEqualTo(Result.DONE);
    left.apply(put("z", "2"));
    assertThat(left.apply(absorb)).isEqualTo(Result.DONE);
    assertThat(left.get("z")).contains("2");
    assertThat(left.apply(split("m", 4))).isEqualTo(Result.DONE);
    RegionLog child = new RegionLog(storage.region(new GroupId(4), Keyspace.DATA));
    child.apply(put("z", "3"));
    assertThat(left.apply(absorb)).as("after the keys have left again").isEqualTo(Result.DONE);
    assertThat(left.store.range()).isEqualTo(LOWER);
    assertThat(child.get("z")).contains("3");
  }

  @Test
  void aMergeThatIsGivenUpLeavesBothRegions() throws IOException {
    right.apply(put("z", "1"));
    right.apply(freeze(MERGE));
    assertThat(right.apply(unfreeze(MERGE))).isEqualTo(Result.DONE);
    assertThat(right.get("z")).contains("1");
    assertThat(right.apply(put("z", "2"))).isEqualTo(Result.DONE);
    assertThat(right.apply(freeze(MERGE))).as("late").isEqualTo(Result.DONE);
    assertThat(right.apply(put("z", "3"))).isEqualTo(Result.DONE);
    assertThat(right.apply(unfreeze(5))).as("not frozen").isInstanceOf(Result.Refused.class);
    assertThat(right.get("z")).contains("3");
    assertThat(right.apply(freeze(6))).isEqualTo(Result.DONE);
    assertThatThrownBy(() -> right.get("z")).isInstanceOf(OutOfRangeException.class);
  }

  @Test
  void aRegionThatIsTooLargeCannotBeAbsorbed() throws IOException {
    String half = "x".repeat(Operation.Absorb.STATE_BYTES_MAX / 2);
    right.apply(put("y", half));
    assertThat(right.store.mergeState().contents()).isPresent();
    right.apply(put("z", half));
    assertThat(right.store.mergeState().contents()).isEmpty();
    right.apply(put("z", ""));
    right.apply(by(ANN, 1, 1, getAndPut("y", "")));
    assertThat(right.store.mergeState().contents()).isPresent();
    right.apply(by(ANN, 2, 1, getAndPut("z", half)));
    assertThat(right.store.mergeState().contents()).as("with a long result").isEmpty();
  }

  @Test
  void onlyTheNextRegionIsAbsorbed() throws IOException {
    right.apply(freeze(MERGE));
    Operation.Absorb apart =
        new Operation.Absorb(
            new GroupId(MERGE), KeyRange.from(Key.utf8("n")), absorbed().state().duplicate());
    assertThat(left.apply(apart)).isInstanceOf(Result.Refused.class);
    Operation.Absorb damaged =
        new Operation.Absorb(new GroupId(MERGE), UPPER, absorbed().state().duplicate().limit(3));
    assertThat(left.apply(damaged)).isInstanceOf(Result.Refused.class);
    assertThat(left.store.range()).isEqualTo(LOWER);
  }

  /** What the same entry contains after the command sees the absorbed rows, not those of before. */
  @Test
  void laterCommandsOfTheSameEntrySeeTheAbsorbedRows() throws IOException {
    right.apply(put("n", "1"));
    right.apply(put("z", "1"));
    try (Storage other = open(directory.resolve("other"))) {
      RegionLog behind = new RegionLog(other.region(RIGHT, UPPER, Keyspace.DATA));
      RegionLog absorbing = new RegionLog(other.region(LEFT, LOWER, Keyspace.DATA));
      behind.apply(put("n", "9"));
      right.apply(TestRegion.delete("n"));
      right.apply(freeze(MERGE));
      assertThat(
              absorbing.applyTogether(
                  untagged(incrementAndGet("n", 1)),
                  untagged(absorbed()),
                  untagged(incrementAndGet("n", 1)),
                  untagged(incrementAndGet("z", 1))))
          .containsExactly(Result.OUT_OF_RANGE, Result.DONE, number(1), number(2));
      assertThat(TestRegion.rows(absorbing.store)).isEqualTo(Map.of("n", "1", "z", "2"));
    }
  }

  /** A replica that has yet to apply the end of its region must not write rows of the other one. */
  @Test
  void aReplicaThatIsBehindEndsWhenItsRegionIsAbsorbed() throws IOException {
    right.apply(put("z", "1"));
    Operation.Absorb absorb = absorbed();
    CompletableFuture<Void> released = new CompletableFuture<>();
    CompletableFuture<Void> atPoint = new CompletableFuture<>();
    StoragePoints.BEFORE_WRITE.on(
        (point, subject) -> {
          if (subject.equals(RIGHT)) {
            atPoint.complete(null);
            released.join();
          }
        });
    List<CompletableFuture<Result>> late = right.commit(List.of(untagged(put("y", "late"))));
    atPoint.join();
    List<CompletableFuture<Result>> absorbing = left.commit(List.of(untagged(absorb)));
    List<CompletableFuture<Result>> after = left.commit(List.of(untagged(put("b", "1"))));
    released.complete(null);
    assertThat(TestRegion.results(absorbing)).containsExactly(Result.DONE);
    assertThat(TestRegion.results(late)).containsExactly(Result.DONE);
    assertThat(TestRegion.results(after)).containsExactly(Result.DONE);
    right.commit(List.of(untagged(put("z", "9"))));
    left.apply(put("c", "1"));
    assertThat(TestRegion.rows(left.store)).isEqualTo(Map.of("b", "1", "c", "1", "z", "1"));
    assertThatThrownBy(() -> right.get("z")).isInstanceOf(OutOfRangeException.class);
  }

  /** The group of an absorbed region may be opened again before it is removed. */
  @Test
  void anAbsorbedRegionDoesNotBeginAgain() throws IOException {
    right.apply(put("z", "1"));
    merge();
    right.store.open();
    assertThatThrownBy(() -> right.get("z"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("has no state");
    assertThat(storage.holds(RIGHT)).isFalse();
    storage.remove(RIGHT, UPPER, Keyspace.DATA);
    assertThat(left.get("z")).contains("1");
    assertThatThrownBy(() -> storage.region(RIGHT, UPPER, Keyspace.DATA))
        .isInstanceOf(OverlappingRangesException.class);
  }

  /**
   * After a restart, the log of the other region may be replayed first. That of this region has no
   * more entries from before the durable position, which is removed with the state.
   */
  @Test
  void aRegionThatIsAbsorbedBeforeItIsOpenedCannotBeOpened() throws IOException {
    right.apply(put("z", "1"));
    right.apply(freeze(MERGE));
    Operation.Absorb absorb = absorbed();
    storage.close();
    storage = open(directory.resolve("node"));
    RegionStore late = storage.region(RIGHT, UPPER, Keyspace.DATA);
    left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
    assertThat(left.apply(absorb)).isEqualTo(Result.DONE);
    assertThatThrownBy(late::open).isInstanceOf(OverlappingRangesException.class);
    storage.remove(RIGHT, UPPER, Keyspace.DATA);
    assertThat(left.get("z")).contains("1");
  }

  @Test
  void aNodeWithoutTheAbsorbedRegionReceivesItsRows() throws IOException {
    right.apply(put("z", "1"));
    right.apply(by(ANN, 1, 1, incrementAndGet("y", 2)));
    right.apply(freeze(MERGE));
    try (Storage other = open(directory.resolve("other"))) {
      RegionLog alone = new RegionLog(other.region(LEFT, LOWER, Keyspace.DATA));
      assertThat(alone.apply(absorbed())).isEqualTo(Result.DONE);
      assertThat(TestRegion.rows(alone.store)).isEqualTo(Map.of("y", "2", "z", "1"));
      assertThat(alone.apply(by(ANN, 1, 1, incrementAndGet("y", 2)))).isEqualTo(number(2));
    }
  }

  @Test
  void aClientWithFullWindowsCanGoOnAfterwards() throws IOException {
    storage.close();
    storage =
        Storage.open(
            directory.resolve("small"),
            TestRegion.OPTIONS,
            MetricsSink.NONE,
            StorageListener.NONE,
            4);
    left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
    right = new RegionLog(storage.region(RIGHT, UPPER, Keyspace.DATA));
    for (int i = 1; i <= 4; i++) {
      left.apply(by(ANN, i, 1, incrementAndGet("a", 1)));
      right.apply(by(ANN, 10 + i, 11, getAndPut("z", LONG_VALUE + i)));
    }
    merge();
    assertThat(left.apply(by(ANN, 20, 14, incrementAndGet("a", 1)))).isEqualTo(number(5));
    assertThat(left.apply(by(ANN, 14, 14, getAndPut("z", "")))).isEqualTo(value(LONG_VALUE + 3));
    assertThat(left.apply(by(ANN, 1, 1, incrementAndGet("a", 1)))).isEqualTo(Result.FORGOTTEN);
  }

  @Test
  void theNodeKnowsWhichRegionHasTheKeys() throws IOException {
    merge();
    assertThat(storage.range(RIGHT)).isEmpty();
    assertThat(storage.range(LEFT)).contains(KeyRange.ALL);
    assertThat(storage.below(Key.utf8("x"), Keyspace.DATA)).contains(LEFT);
    assertThat(merging).containsExactly(RIGHT, LEFT);
  }
}
