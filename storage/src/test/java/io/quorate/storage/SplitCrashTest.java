package io.quorate.storage;

import static io.quorate.storage.RegionLog.split;
import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static io.quorate.storage.TestRegion.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Failpoint;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A crash between any two steps of a split leaves the parent whole, or both parts with their rows
 * and sessions; and a replay ends in the same state.
 */
class SplitCrashTest {
  private static final GroupId CHILD = new GroupId(7);
  private static final ClientId ANN = new ClientId(1, 1);
  private static final String LONG_VALUE = "x".repeat(1_000);
  private static final long SPLIT_AT = 3;

  /** The log of the parent; the split stands between other commands of its entry. */
  private static final List<List<ClientCommand>> LOG =
      List.of(
          List.of(untagged(put("y", LONG_VALUE)), untagged(put("a", "1"))),
          List.of(by(ANN, 1, 1, incrementAndGet("z", 5))),
          List.of(by(ANN, 2, 1, incrementAndGet("a", 5))),
          List.of(
              by(ANN, 3, 1, getAndPut("y", "short")),
              untagged(split("m", 7)),
              by(ANN, 4, 1, incrementAndGet("a", 5)),
              by(ANN, 5, 1, incrementAndGet("z", 5))),
          List.of(by(ANN, 6, 1, incrementAndGet("a", 5))));

  private static final List<Failpoint> POINTS =
      List.of(
          StoragePoints.SPLIT_SESSIONS_COPIED,
          StoragePoints.BEFORE_WRITE,
          StoragePoints.SPLIT_WRITTEN,
          StoragePoints.AFTER_WRITE,
          StoragePoints.AFTER_RESPONSES,
          StoragePoints.BEFORE_FLUSH,
          StoragePoints.AFTER_FLUSH,
          StoragePoints.FLUSH_PUBLISHED);

  @TempDir Path directory;

  @AfterEach
  void off() {
    Failpoint.known().forEach(Failpoint::off);
  }

  @TestFactory
  Stream<DynamicTest> aCrashLeavesOneRegionOrTwo() {
    return POINTS.stream()
        .map(
            point ->
                DynamicTest.dynamicTest(
                    point.name(), () -> crashAt(point, directory.resolve(point.name()))));
  }

  /** Copies what a crash leaves, without and with a flush that RocksDB may do by itself. */
  private void crashAt(Failpoint point, Path home) throws IOException {
    List<Path> crashes = new ArrayList<>();
    try (TestRegion region = TestRegion.open(home)) {
      point.on(
          (at, subject) -> {
            for (boolean isFlushed : List.of(false, true)) {
              if (isFlushed) {
                region.storage.database().flush();
              }
              Path copy = home.resolveSibling(point + "-" + crashes.size());
              crashes.add(CrashCopy.take(region.storage, home, copy));
            }
          });
      for (int i = 0; i < LOG.size(); i++) {
        region.commitAt(i, LOG.get(i));
        region.awaitApplied(i);
      }
      region.flush();
    } finally {
      point.off();
    }
    assertThat(crashes).isNotEmpty();
    for (Path crashed : crashes) {
      assertOneOrTwoAndReplay(crashed);
    }
  }

  private static void assertOneOrTwoAndReplay(Path crashed) throws IOException {
    try (TestRegion region = TestRegion.open(crashed)) {
      boolean isSplit = region.opened.index() >= SPLIT_AT;
      assertThat(region.storage.holds(CHILD)).isEqualTo(isSplit);
      assertThat(region.store.range())
          .isEqualTo(isSplit ? KeyRange.of(Key.EMPTY, Key.utf8("m")) : KeyRange.ALL);
      // The log delivers the later batches again.
      for (int i = (int) region.opened.index() + 1; i < LOG.size(); i++) {
        region.commitAt(i, LOG.get(i));
        region.awaitApplied(i);
      }
      assertBothParts(region);
    }
    try (TestRegion region = TestRegion.open(crashed)) {
      assertBothParts(region);
    }
  }

  private static void assertBothParts(TestRegion region) throws IOException {
    assertThat(region.rows()).isEqualTo(Map.of("a", "16"));
    assertThat(region.store.sessionCount()).isEqualTo(1);
    RegionLog child = new RegionLog(region.storage.region(CHILD, Keyspace.DATA));
    assertThat(TestRegion.rows(child.store)).isEqualTo(Map.of("y", "short", "z", "5"));
    assertThat(child.store.sessionCount()).isEqualTo(1);
    assertThat(child.apply(by(ANN, 1, 1, incrementAndGet("z", 5)))).isEqualTo(number(5));
    assertThat(child.apply(by(ANN, 2, 1, incrementAndGet("a", 5)))).isEqualTo(Result.OUT_OF_RANGE);
    assertThat(child.apply(by(ANN, 3, 1, getAndPut("y", "")))).isEqualTo(value(LONG_VALUE));
  }

  /**
   * The log of the child's group is durable by itself. What it contains must not be replayed on
   * nothing, even if the parent, which could replay the split, has left this node.
   */
  @Test
  void theChildIsDurableWhenItIsOpen() throws IOException {
    Path home = directory.resolve("home");
    Path copy = directory.resolve("copy");
    try (TestRegion region = TestRegion.open(home)) {
      region.apply(put("z", "1"));
      region.apply(by(ANN, 1, 1, incrementAndGet("z", 1)));
      region.applyOne(split("m", 7));
      region.storage.region(CHILD, Keyspace.DATA).open();
      CrashCopy.take(region.storage, home, copy);
    }
    try (Storage storage = Storage.open(copy, TestRegion.OPTIONS, MetricsSink.NONE)) {
      assertThat(storage.holds(CHILD)).isTrue();
      RegionLog child = new RegionLog(storage.region(CHILD, Keyspace.DATA));
      assertThat(child.get("z")).contains("2");
      assertThat(child.apply(by(ANN, 1, 1, incrementAndGet("z", 1)))).isEqualTo(number(2));
    }
  }

  /** Otherwise it would begin again with what its caller takes for the range by then. */
  @Test
  void theRangeOfARegionThatBeginsEmptyIsDurableWhenItIsOpen() throws IOException {
    Path home = directory.resolve("home");
    Path copy = directory.resolve("copy");
    try (TestRegion region = TestRegion.open(home)) {
      CrashCopy.take(region.storage, home, copy);
    }
    try (Storage storage = Storage.open(copy, TestRegion.OPTIONS, MetricsSink.NONE)) {
      RegionStore store =
          storage.region(TestRegion.GROUP, KeyRange.of(Key.EMPTY, Key.utf8("m")), Keyspace.DATA);
      store.open();
      assertThat(store.range()).isEqualTo(KeyRange.ALL);
    }
  }

  /** A full disk, for example: the iteration is repeated from the state before it. */
  @Test
  void aSplitThatFailsIsRepeated() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      for (Failpoint point :
          List.of(StoragePoints.SPLIT_SESSIONS_COPIED, StoragePoints.BEFORE_WRITE)) {
        point.on(
            (at, subject) -> {
              at.off();
              throw new IOException("no space left");
            });
      }
      for (int i = 0; i < LOG.size(); i++) {
        region.commitAt(i, LOG.get(i));
      }
      region.awaitApplied(LOG.size() - 1);
      assertBothParts(region);
    }
  }
}
