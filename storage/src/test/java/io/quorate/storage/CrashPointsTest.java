package io.quorate.storage;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.increment;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.common.Failpoint;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.context.StoragePoints;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * A crash between any two steps of applying, flushing and exporting leaves the rows, results and
 * position of one cut, and a replay from there ends in the same state. {@code SnapshotTest} covers
 * the steps of an install, {@code SplitCrashTest} those of a split, {@code BodyStoreTest} and
 * {@code BodySweepTest} those of bodies.
 */
class CrashPointsTest {
  private static final ClientId ANN = new ClientId(1, 1);
  private static final int ROUNDS = 3;
  private static final int COMMANDS = 4;

  private static final List<Failpoint> POINTS =
      List.of(
          StoragePoints.BEFORE_WRITE,
          StoragePoints.AFTER_WRITE,
          StoragePoints.AFTER_RESPONSES,
          StoragePoints.BEFORE_FLUSH,
          StoragePoints.AFTER_FLUSH,
          StoragePoints.FLUSH_PUBLISHED,
          StoragePoints.EXPORT_TABLES,
          StoragePoints.EXPORT_COMPLETE);

  @TempDir Path directory;

  @AfterEach
  void off() {
    Failpoint.known().forEach(Failpoint::off);
  }

  @Test
  void everyFailpointOfTheStateIsTested() {
    assertThat(POINTS)
        .containsAll(
            Failpoint.known().stream()
                .filter(point -> point.name().startsWith("storage."))
                .filter(point -> !point.name().startsWith("storage.install."))
                .filter(point -> !point.name().startsWith("storage.split."))
                .filter(point -> !point.name().startsWith("storage.merge."))
                .filter(point -> !point.name().startsWith("storage.bodies."))
                .toList());
  }

  @TestFactory
  Stream<DynamicTest> aCrashLeavesOneCut() {
    return POINTS.stream()
        .map(
            point ->
                DynamicTest.dynamicTest(
                    point.name(), () -> crashAt(point, directory.resolve(point.name()))));
  }

  private void crashAt(Failpoint point, Path home) throws IOException {
    Map<Path, Long> crashes = new LinkedHashMap<>();
    try (TestRegion region = TestRegion.open(home)) {
      point.on(
          (at, subject) -> {
            if (!crashes.isEmpty() && subject.equals(TestRegion.GROUP)) {
              // RocksDB may flush by itself at any moment; the first copy is without such a flush.
              region.storage.database().flush();
            }
            Path copy = home.resolveSibling(point + "-crash-" + crashes.size());
            crashes.put(CrashCopy.take(region.storage, home, copy), region.store.durable().index());
          });
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < COMMANDS; i++) {
          command(region, (long) round * COMMANDS + i);
        }
        region.flush();
        region.store.exportSnapshot(
            Files.createDirectory(home.resolveSibling(point + "-e" + round)));
      }
    } finally {
      point.off();
    }
    assertThat(crashes).as("crashes").hasSizeGreaterThanOrEqualTo(ROUNDS);
    for (Map.Entry<Path, Long> crash : crashes.entrySet()) {
      assertOneCutAndReplay(crash.getKey(), crash.getValue());
    }
  }

  /**
   * Commits two commands: a row and a client's stored result, and rows only. A cut that is not
   * consistent shows in one of them.
   */
  private static void command(TestRegion region, long index) {
    region.commitAt(
        index,
        List.of(
            by(ANN, index + 1, index, incrementAndGet("n", 1)),
            TestRegion.untagged(
                new Operation.Batch(List.of(put("last", index + ""), increment("m", 2))))));
    region.awaitApplied(index);
  }

  private static void assertOneCutAndReplay(Path crashed, long published) throws IOException {
    try (TestRegion region = TestRegion.open(crashed)) {
      long position = region.opened.index();
      assertThat(position)
          .as("the durable position that was published")
          .isGreaterThanOrEqualTo(published);
      assertCut(region, position);
      // The log delivers the later batches again.
      for (long index = position + 1; index < ROUNDS * COMMANDS; index++) {
        command(region, index);
      }
      assertCut(region, ROUNDS * COMMANDS - 1L);
    }
  }

  private static void assertCut(TestRegion region, long position) {
    if (position < 0) {
      assertThat(region.rows()).isEmpty();
      assertThat(region.store.sessionCount()).isZero();
      return;
    }
    assertThat(region.rows())
        .isEqualTo(
            Map.of(
                "n", Long.toString(position + 1),
                "m", Long.toString(2 * (position + 1)),
                "last", Long.toString(position)));
    assertThat(region.store.applied().index()).isEqualTo(position);
    // The position is applied already, so this changes nothing and has the stored result.
    assertThat(
            TestRegion.results(
                region.commitAt(
                    position, List.of(by(ANN, position + 1, position, incrementAndGet("n", 1))))))
        .containsExactly(number(position + 1));
  }
}
