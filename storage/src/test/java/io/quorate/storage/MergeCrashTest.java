package io.quorate.storage;

import static io.quorate.storage.RegionLog.absorb;
import static io.quorate.storage.RegionLog.freeze;
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
import io.quorate.protocol.operation.Operation;
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
 * A crash between any two steps of a merge leaves two regions, or one with the rows and sessions of
 * both; and a replay ends in the same state.
 */
class MergeCrashTest {
  private static final GroupId LEFT = new GroupId(1);
  private static final GroupId RIGHT = new GroupId(2);
  private static final KeyRange LOWER = KeyRange.of(Key.EMPTY, Key.utf8("m"));
  private static final KeyRange UPPER = KeyRange.from(Key.utf8("m"));
  private static final int MERGE = 3;
  private static final ClientId ANN = new ClientId(1, 1);
  private static final String LONG_VALUE = "x".repeat(1_000);

  /** The log of the region that ends; the last entry has no effect. */
  private static final List<List<ClientCommand>> RIGHT_LOG =
      List.of(
          List.of(untagged(put("y", LONG_VALUE)), by(ANN, 1, 1, incrementAndGet("z", 5))),
          List.of(by(ANN, 2, 1, getAndPut("y", "short")), untagged(freeze(MERGE))),
          List.of(by(ANN, 9, 1, incrementAndGet("z", 5))));

  private static final List<Failpoint> POINTS =
      List.of(
          StoragePoints.BEFORE_WRITE,
          StoragePoints.MERGE_FROZEN,
          StoragePoints.MERGE_TAKEN_OVER,
          StoragePoints.MERGE_WRITTEN,
          StoragePoints.AFTER_WRITE,
          StoragePoints.AFTER_RESPONSES,
          StoragePoints.BEFORE_FLUSH,
          StoragePoints.AFTER_FLUSH,
          StoragePoints.FLUSH_PUBLISHED);

  @TempDir Path directory;
  private final List<Path> crashes = new ArrayList<>();

  @AfterEach
  void off() {
    Failpoint.known().forEach(Failpoint::off);
  }

  /** The log of the region that absorbs the other one; the merge stands between other commands. */
  private List<List<ClientCommand>> leftLog() throws IOException {
    Operation.Absorb absorb;
    try (Storage source = storage(directory.resolve("source"))) {
      RegionLog right = new RegionLog(source.region(RIGHT, UPPER, Keyspace.DATA));
      RIGHT_LOG.forEach(entry -> TestRegion.results(right.commit(entry)));
      absorb = absorb(right.store, MERGE);
    }
    return List.of(
        List.of(untagged(put("a", "1")), by(ANN, 3, 1, incrementAndGet("a", 5))),
        List.of(
            by(ANN, 4, 1, incrementAndGet("a", 5)),
            untagged(absorb),
            by(ANN, 5, 1, incrementAndGet("z", 5))),
        List.of(by(ANN, 6, 1, incrementAndGet("a", 5))));
  }

  private static Storage storage(Path home) throws IOException {
    return Storage.open(home, TestRegion.OPTIONS, MetricsSink.NONE);
  }

  @TestFactory
  Stream<DynamicTest> aCrashLeavesTwoRegionsOrOne() throws IOException {
    List<List<ClientCommand>> leftLog = leftLog();
    return POINTS.stream()
        .map(
            point ->
                DynamicTest.dynamicTest(
                    point.name(), () -> crashAt(point, directory.resolve(point.name()), leftLog)));
  }

  /** Copies what a crash leaves, without and with a flush that RocksDB may do by itself. */
  private void crashAt(Failpoint point, Path home, List<List<ClientCommand>> leftLog)
      throws IOException {
    crashes.clear();
    try (Storage storage = storage(home)) {
      RegionLog left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
      RegionLog right = new RegionLog(storage.region(RIGHT, UPPER, Keyspace.DATA));
      point.on((at, subject) -> crash(storage, home, point));
      RIGHT_LOG.forEach(entry -> TestRegion.results(right.commit(entry)));
      leftLog.forEach(entry -> TestRegion.results(left.commit(entry)));
      left.store.flush().toCompletableFuture().join();
    } finally {
      point.off();
    }
    assertThat(crashes).isNotEmpty();
    for (Path crashed : crashes) {
      assertReplay(crashed, leftLog);
      assertReplay(crashed, leftLog);
    }
  }

  private void crash(Storage storage, Path home, Failpoint point) throws IOException {
    for (boolean isFlushed : List.of(false, true)) {
      if (isFlushed) {
        storage.database().flush();
      }
      crashes.add(
          CrashCopy.take(storage, home, home.resolveSibling(point.name() + "-" + crashes.size())));
    }
  }

  /** Opens what there is, and delivers the later entries of the logs again, the left ones first. */
  private static void assertReplay(Path crashed, List<List<ClientCommand>> leftLog)
      throws IOException {
    try (Storage storage = storage(crashed)) {
      boolean isMerged = storage.range(LEFT).filter(KeyRange.ALL::equals).isPresent();
      assertThat(storage.range(RIGHT).isPresent()).isEqualTo(!isMerged);
      RegionLog left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
      if (!isMerged) {
        RegionLog right = new RegionLog(storage.region(RIGHT, UPPER, Keyspace.DATA));
        replay(right, RIGHT_LOG.subList(0, 1));
      }
      replay(left, leftLog);
      assertThat(TestRegion.rows(left.store)).isEqualTo(Map.of("a", "16", "y", "short", "z", "10"));
      assertThat(left.store.sessionCount()).isEqualTo(1);
      assertThat(left.apply(by(ANN, 1, 1, incrementAndGet("z", 5)))).isEqualTo(number(5));
      assertThat(left.apply(by(ANN, 2, 1, getAndPut("y", "")))).isEqualTo(value(LONG_VALUE));
      assertThat(storage.holds(RIGHT)).isFalse();
      assertThat(storage.range(RIGHT)).isEmpty();
    }
  }

  private static void replay(RegionLog log, List<List<ClientCommand>> entries) {
    for (int i = (int) log.store.applied().index() + 1; i < entries.size(); i++) {
      TestRegion.results(log.commitAt(i, entries.get(i)));
    }
  }

  /** A full disk, for example: the iteration is repeated from the state before it. */
  @Test
  void aMergeThatFailsIsRepeated() throws IOException {
    List<List<ClientCommand>> leftLog = leftLog();
    try (Storage storage = storage(directory.resolve("full"))) {
      RegionLog left = new RegionLog(storage.region(LEFT, LOWER, Keyspace.DATA));
      new RegionLog(storage.region(RIGHT, UPPER, Keyspace.DATA)).apply(put("x", "9"));
      for (Failpoint point : List.of(StoragePoints.MERGE_TAKEN_OVER, StoragePoints.BEFORE_WRITE)) {
        point.on(
            (at, subject) -> {
              at.off();
              throw new IOException("no space left");
            });
      }
      leftLog.forEach(entry -> TestRegion.results(left.commit(entry)));
      assertThat(TestRegion.rows(left.store)).isEqualTo(Map.of("a", "16", "y", "short", "z", "10"));
    }
  }
}
