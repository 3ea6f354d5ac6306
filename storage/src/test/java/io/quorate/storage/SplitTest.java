package io.quorate.storage;

import static io.quorate.storage.RegionLog.split;
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
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageFailure;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.read.OutOfRangeException;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A region is split: what becomes of its keys, rows, sessions and requests. */
class SplitTest {
  private static final GroupId PARENT = new GroupId(1);
  private static final GroupId CHILD = new GroupId(7);
  private static final ClientId ANN = new ClientId(1, 1);
  private static final ClientId BEN = new ClientId(1, 2);
  private static final Key M = Key.utf8("m");
  private static final String LONG_VALUE = "x".repeat(1_000);

  @TempDir Path directory;
  private final List<GroupId> began = new ArrayList<>();
  private Storage storage;
  private RegionLog parent;

  @BeforeEach
  void open() throws IOException {
    storage =
        Storage.open(
            directory,
            TestRegion.OPTIONS,
            MetricsSink.NONE,
            new StorageListener() {
              @Override
              public void failed(StorageFailure failure) {}

              @Override
              public void recovered(Optional<GroupId> region) {}

              @Override
              public void childBegan(GroupId child) {
                began.add(child);
              }
            });
    parent = new RegionLog(storage.region(PARENT, KeyRange.ALL, Keyspace.DATA));
  }

  @AfterEach
  void close() {
    StoragePoints.SPLIT_WRITTEN.off();
    storage.close();
  }

  private void reopen() throws IOException {
    close();
    open();
  }

  private RegionLog child() throws IOException {
    return new RegionLog(storage.region(CHILD, Keyspace.DATA));
  }

  @Test
  void theChildHasTheRowsFromTheKeyOn() throws IOException {
    parent.apply(put("a", "1"));
    parent.apply(put("m", "2"));
    parent.apply(put("z", "3"));
    assertThat(parent.apply(split("m", 7))).isEqualTo(Result.DONE);
    assertThat(began).containsExactly(CHILD);
    assertThat(storage.children()).isEqualTo(Map.of(CHILD, PARENT));
    assertThat(parent.store.range()).isEqualTo(KeyRange.of(Key.EMPTY, M));
    assertThat(TestRegion.rows(parent.store)).isEqualTo(Map.of("a", "1"));

    RegionLog child = child();
    assertThat(child.store.range()).isEqualTo(KeyRange.from(M));
    assertThat(child.store.applied()).isEqualTo(Position.NONE);
    assertThat(TestRegion.rows(child.store)).isEqualTo(Map.of("m", "2", "z", "3"));
    child.apply(put("n", "4"));
    parent.apply(put("b", "5"));
    assertThat(TestRegion.rows(child.store)).isEqualTo(Map.of("m", "2", "n", "4", "z", "3"));
    assertThat(TestRegion.rows(parent.store)).isEqualTo(Map.of("a", "1", "b", "5"));
  }

  @Test
  void keysThatHaveLeftTheRegionAreNeitherWrittenNorRead() {
    parent.apply(put("a", "1"));
    parent.apply(put("z", "1"));
    parent.apply(split("m", 7));
    assertThat(parent.apply(put("z", "2"))).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.apply(incrementAndGet("m", 1))).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.apply(new Operation.Batch(List.of(put("a", "2"), put("z", "2")))))
        .as("a batch across the key")
        .isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.get("a")).contains("1");
    Key z = Key.utf8("z");
    assertThatThrownBy(() -> parent.store.get(z))
        .isInstanceOf(OutOfRangeException.class)
        .hasMessage("Region 1 holds the keys [\"\", \"m\"), not \"z\".");
    assertThatThrownBy(() -> parent.store.getStored(z)).isInstanceOf(OutOfRangeException.class);
    assertThatThrownBy(() -> parent.store.getCached(z)).isInstanceOf(OutOfRangeException.class);
    for (ScanOrder order : ScanOrder.values()) {
      assertThatThrownBy(() -> parent.store.cut(KeyRange.ALL, order, 10, 1 << 20, ScanPlan.MERGE))
          .isInstanceOf(OutOfRangeException.class);
      assertThatThrownBy(
              () -> parent.store.cutStored(KeyRange.ALL, order, 10, 1 << 20, ScanPlan.MERGE))
          .isInstanceOf(OutOfRangeException.class);
    }
  }

  @Test
  void theMiddleKeyDividesWhatTheRegionHas() {
    parent.apply(put("a", "1"));
    assertThat(parent.store.middleKey()).as("one row").isEmpty();
    for (int i = 0; i < 500; i++) {
      parent.apply(put("m%03d".formatted(i), LONG_VALUE));
    }
    // RocksDB estimates what is in memory from a few random rows.
    parent.store.flush().toCompletableFuture().join();
    Key middle = parent.store.middleKey().orElseThrow();
    assertThat(middle).isBetween(Key.utf8("m150"), Key.utf8("m350"));
    parent.apply(split(new String(middle.bytes(), StandardCharsets.UTF_8), 7));
    assertThat(parent.store.middleKey().orElseThrow())
        .isBetween(Key.utf8("m050"), middle.previous(4));
  }

  /** Whoever proposes it again learns that it is in force. */
  @Test
  void aRepeatedSplitChangesNothing() throws IOException {
    parent.apply(split("p", 7));
    assertThat(parent.apply(split("p", 7))).isEqualTo(Result.DONE);
    assertThat(parent.apply(split("d", 8))).isEqualTo(Result.DONE);
    assertThat(parent.apply(split("p", 7))).as("an earlier one").isEqualTo(Result.DONE);
    assertThat(parent.store.range()).isEqualTo(KeyRange.of(Key.EMPTY, Key.utf8("d")));
    assertThat(storage.children()).isEqualTo(Map.of(CHILD, PARENT, new GroupId(8), PARENT));
    RegionLog child = child();
    assertThat(child.apply(split("q", 7))).as("its own").isEqualTo(Result.DONE);
    assertThat(child.store.range()).isEqualTo(KeyRange.from(Key.utf8("p")));
    assertThat(child.apply(split("t", 9))).isEqualTo(Result.DONE);
    assertThat(child.store.range()).isEqualTo(KeyRange.of(Key.utf8("p"), Key.utf8("t")));
    assertThat(storage.children()).containsEntry(new GroupId(9), CHILD);
  }

  @Test
  void aSplitAtAKeyThatIsNotInsideTheRangeIsRefused() throws IOException {
    parent.apply(split("m", 7));
    for (String key : List.of("", "m", "z")) {
      assertThat(parent.apply(split(key, 8))).isInstanceOf(Result.Refused.class);
    }
    assertThat(child().apply(split("m", 8))).as("the first key").isInstanceOf(Result.Refused.class);
    assertThat(storage.children()).containsOnlyKeys(CHILD);
  }

  /** Each command sees the range that the commands before it leave. */
  @Test
  void commandsOfOneEntryStandBeforeAndAfterTheSplit() throws IOException {
    List<Result> results =
        parent.applyTogether(
            by(ANN, 1, 1, incrementAndGet("z", 1)),
            untagged(split("m", 7)),
            by(ANN, 2, 1, incrementAndGet("z", 1)),
            by(ANN, 3, 1, incrementAndGet("a", 1)),
            by(ANN, 1, 1, incrementAndGet("z", 1)),
            untagged(split("m", 7)));
    assertThat(results)
        .containsExactly(
            number(1),
            Result.DONE,
            Result.OUT_OF_RANGE,
            number(1),
            Result.OUT_OF_RANGE,
            Result.DONE);
    RegionLog child = child();
    assertThat(child.get("z")).contains("1");
    assertThat(child.apply(by(ANN, 3, 1, incrementAndGet("z", 1))))
        .as("the child has no result of a request after the split")
        .isEqualTo(number(2));
  }

  @Test
  void aRequestThatWasExecutedBeforeTheSplitHasItsResultInTheChild() throws IOException {
    parent.apply(put("y", LONG_VALUE));
    ClientCommand sum = by(ANN, 1, 1, incrementAndGet("z", 1));
    ClientCommand swap = by(ANN, 2, 1, getAndPut("y", "short"));
    parent.apply(sum);
    parent.applyTogether(swap, untagged(split("m", 7)));
    assertThat(parent.apply(sum)).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.apply(swap)).isEqualTo(Result.OUT_OF_RANGE);

    RegionLog child = child();
    assertThat(child.apply(sum)).isEqualTo(number(1));
    assertThat(child.apply(swap)).as("a long result").isEqualTo(value(LONG_VALUE));
    assertThat(child.get("z")).contains("1");
    reopen();
    assertThat(child().apply(swap)).isEqualTo(value(LONG_VALUE));
  }

  /** The parent does not record the request, not even its floor. */
  @Test
  void aRequestThatArrivesAfterTheSplitTakesEffectInTheChild() throws IOException {
    parent.apply(by(ANN, 1, 1, put("a", "1")));
    parent.apply(split("m", 7));
    ClientCommand late = by(ANN, 3, 3, incrementAndGet("z", 1));
    assertThat(parent.apply(late)).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.apply(by(BEN, 1, 1, put("z", "1")))).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.store.sessionCount()).isEqualTo(1);
    assertThat(parent.apply(by(ANN, 2, 1, incrementAndGet("a", 1))))
        .as("below the floor of the other request")
        .isEqualTo(number(2));
    assertThat(child().apply(late)).isEqualTo(number(1));
  }

  @Test
  void whatTheParentHasForgottenTheChildDoesNotExecute() throws IOException {
    parent.apply(by(ANN, 1, 1, increment("z", 1)));
    parent.apply(by(ANN, 5, 5, increment("z", 1)));
    parent.apply(split("m", 7));
    assertThat(child().apply(by(ANN, 1, 1, increment("z", 1)))).isEqualTo(Result.FORGOTTEN);
  }

  @Test
  void aLateCopyHasNoEffectInTheChildIfItsSessionHasExpiredInTheParentOrInTheChild()
      throws IOException {
    parent.apply(put("a", "1"));
    ClientCommand early = TestRegion.since(PARENT, 0, by(ANN, 1, 1, increment("z", 1)));
    parent.apply(early);
    parent.apply(untagged(new Operation.ExpireSessions(TestRegion.at(2))));
    long known = 2;
    ClientCommand late = TestRegion.since(PARENT, known, by(BEN, 1, 1, increment("z", 1)));
    parent.apply(late);
    parent.apply(split("m", 7));

    RegionLog child = child();
    assertThat(child.apply(early)).as("expired in the parent").isEqualTo(Result.OUTDATED);
    assertThat(child.apply(late)).isEqualTo(Result.DONE);
    assertThat(child.get("z")).contains("2");
    child.apply(TestRegion.untagged(new Operation.ExpireSessions(TestRegion.at(50))));
    assertThat(child.apply(late)).as("expired in the child").isEqualTo(Result.OUTDATED);
    reopen();
    assertThat(child().apply(late)).isEqualTo(Result.OUTDATED);
    assertThat(child().get("z")).contains("2");
  }

  /** Positions of the parent have no meaning in the child. */
  @Test
  void copiedSessionsExpireByThePositionsOfTheChild() throws IOException {
    for (int i = 0; i < 100; i++) {
      parent.apply(put("a", "1"));
    }
    parent.apply(by(ANN, 1, 1, increment("z", 1)));
    parent.apply(by(BEN, 1, 1, increment("z", 1)));
    parent.apply(split("m", 7));
    RegionLog child = child();
    child.apply(by(BEN, 2, 1, increment("z", 1)));
    assertThat(child.store.sessionCount()).isEqualTo(2);
    child.apply(new Operation.ExpireSessions(TestRegion.at(0)));
    assertThat(child.store.sessionCount()).as("one was active since").isEqualTo(1);
    assertThat(parent.store.sessionCount()).isEqualTo(2);
  }

  @Test
  void sessionsOfEveryLengthAreCopied() throws IOException {
    String veryLong = "x".repeat(2 << 20);
    parent.apply(put("z", veryLong));
    for (int i = 1; i <= 5; i++) {
      parent.apply(by(ANN, i, 1, getAndPut("z", veryLong)));
      parent.apply(by(new ClientId(2, i), 1, 1, incrementAndGet("n", i)));
    }
    parent.apply(split("m", 7));
    RegionLog child = child();
    assertThat(child.store.sessionCount()).isEqualTo(6);
    for (int i = 1; i <= 5; i++) {
      assertThat(child.apply(by(ANN, i, 1, getAndPut("z", "")))).isEqualTo(value(veryLong));
    }
    assertThat(child.apply(by(new ClientId(2, 2), 1, 1, incrementAndGet("n", 1))))
        .isEqualTo(number(3));
  }

  @Test
  void afterARestartTheRangesAreThoseOfTheState() throws IOException {
    parent.apply(put("z", "1"));
    parent.apply(split("m", 7));
    reopen();
    assertThat(storage.children()).isEqualTo(Map.of(CHILD, PARENT));
    assertThat(storage.holds(CHILD)).isTrue();
    assertThat(parent.store.range()).isEqualTo(KeyRange.of(Key.EMPTY, M));
    assertThat(parent.apply(put("z", "2"))).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(parent.apply(split("m", 7))).isEqualTo(Result.DONE);
    assertThat(child().get("z")).contains("1");
  }

  /** The range that the caller knows is a later one, as if it were from region 0. */
  @Test
  void aReplicaThatHasNotSplitKeepsItsRangeAfterARestart() throws IOException {
    parent.apply(put("z", "1"));
    storage.close();
    open();
    RegionStore same = storage.region(PARENT, KeyRange.of(Key.EMPTY, M), Keyspace.DATA);
    assertThat(same.range()).isEqualTo(KeyRange.ALL);
    assertThatThrownBy(() -> storage.region(CHILD, KeyRange.from(M), Keyspace.DATA))
        .isInstanceOf(OverlappingRangesException.class)
        .hasMessageContaining("region 1 has the keys");
    assertThat(storage.holds(CHILD)).isFalse();
    parent.apply(split("m", 7));
    assertThat(child().get("z")).contains("1");
  }

  /** Between the two, reads of the parent may still return keys of the child. */
  @Test
  void theChildBeginsWhenTheRangeOfTheParentHasChanged() throws Exception {
    parent.apply(put("z", "1"));
    CompletableFuture<Void> gate = new CompletableFuture<>();
    CompletableFuture<Void> written = new CompletableFuture<>();
    StoragePoints.SPLIT_WRITTEN.on(
        (point, region) -> {
          written.complete(null);
          gate.join();
        });
    CompletableFuture<Result> result = parent.commit(List.of(untagged(split("m", 7)))).get(0);
    written.get(30, TimeUnit.SECONDS);
    try {
      assertThat(parent.get("z")).contains("1");
      assertThatThrownBy(this::child)
          .isInstanceOf(OverlappingRangesException.class)
          .hasMessageContaining("is being applied");
    } finally {
      gate.complete(null);
    }
    assertThat(result.get(30, TimeUnit.SECONDS)).isEqualTo(Result.DONE);
    assertThat(child().get("z")).contains("1");
  }

  /** Its log does not apply to an empty state. */
  @Test
  void aRegionWithoutAStateAppliesNothing() throws IOException {
    RegionLog joiner = child();
    assertThat(storage.holds(CHILD)).isFalse();
    CompletableFuture<Result> result = joiner.commit(List.of(untagged(put("z", "1")))).get(0);
    parent.apply(put("a", "1"));
    assertThat(result).isNotDone();
    assertThat(joiner.store.applied()).isEqualTo(Position.NONE);
    assertThat(joiner.store.range().isEmpty()).isTrue();
    assertThatThrownBy(() -> joiner.get("z"))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("has no state yet");
    assertThatThrownBy(() -> joiner.store.exportSnapshot(directory))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("has no state yet");
  }

  @Test
  void aRemovedParentLeavesTheRowsOfItsChild() throws IOException {
    parent.apply(put("a", "1"));
    parent.apply(by(ANN, 1, 1, put("z", "1")));
    parent.apply(split("m", 7));
    storage.remove(PARENT, KeyRange.ALL, Keyspace.DATA);
    assertThat(storage.holds(PARENT)).isFalse();
    assertThat(storage.children()).isEqualTo(Map.of(CHILD, PARENT));
    RegionLog child = child();
    assertThat(TestRegion.rows(child.store)).isEqualTo(Map.of("z", "1"));
    assertThat(child.store.sessionCount()).isEqualTo(1);
    assertThatThrownBy(() -> storage.region(PARENT, KeyRange.ALL, Keyspace.DATA))
        .as("its former range")
        .isInstanceOf(OverlappingRangesException.class);
  }

  @Test
  void aRemovedChildLeavesTheRowsOfItsParent() throws IOException {
    parent.apply(by(ANN, 1, 1, put("a", "1")));
    parent.apply(put("z", "1"));
    parent.apply(split("m", 7));
    storage.remove(CHILD, KeyRange.ALL, Keyspace.DATA);
    assertThat(storage.holds(CHILD)).isFalse();
    assertThat(storage.children()).isEmpty();
    assertThat(TestRegion.rows(parent.store)).isEqualTo(Map.of("a", "1"));
    assertThat(parent.store.sessionCount()).isEqualTo(1);
    reopen();
    assertThat(storage.children()).isEmpty();
    assertThat(parent.store.range()).isEqualTo(KeyRange.of(Key.EMPTY, M));
    RegionLog again = new RegionLog(storage.region(CHILD, KeyRange.from(M), Keyspace.DATA));
    assertThat(TestRegion.rows(again.store)).isEmpty();
    assertThat(again.store.sessionCount()).isZero();
  }

  /** Delivered again, as after a restart of the engine, the split reports that it is in force. */
  @Test
  void aSplitThatIsDeliveredAgainHasItsResult() {
    parent.commitAt(5, List.of(untagged(put("z", "1"))));
    parent.commitAt(6, List.of(untagged(split("m", 7))));
    parent.apply(put("a", "1"));
    assertThat(TestRegion.results(parent.commitAt(6, List.of(untagged(split("m", 7))))))
        .containsExactly(Result.DONE);
    assertThat(TestRegion.results(parent.commitAt(5, List.of(untagged(put("z", "1"))))))
        .containsExactly(Result.OUT_OF_RANGE);
  }
}
