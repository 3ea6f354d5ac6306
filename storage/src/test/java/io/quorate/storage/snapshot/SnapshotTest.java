package io.quorate.storage.snapshot;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.getAndPut;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.quorate.common.Failpoint;
import io.quorate.common.Failures;
import io.quorate.consensus.CommittedBatch;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.storage.CrashCopy;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.TestRegion;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SnapshotTest {
  private static final ClientId ANN = new ClientId(1, 1);
  private static final ClientId BEN = new ClientId(1, 2);
  private static final String LONG_VALUE = "x".repeat(1_000);

  @TempDir Path directory;

  /** A snapshot at position 12 with rows, a session and a long result. */
  private Path exportedAt12() throws IOException {
    Path exported = Files.createDirectory(directory.resolve("exported"));
    try (TestRegion source = TestRegion.open(directory.resolve("source"))) {
      source.commitAt(10, List.of(by(ANN, 1, 1, incrementAndGet("n", 41))));
      source.commitAt(11, List.of(by(ANN, 2, 1, put("new", LONG_VALUE))));
      source.commitAt(12, List.of(by(ANN, 3, 1, getAndPut("new", "short"))));
      source.awaitApplied(12);
      assertThat(source.store.exportSnapshot(exported)).isEqualTo(TestRegion.at(12));
    }
    return exported;
  }

  private static void fillOldState(TestRegion target) {
    target.commitAt(4, List.of(by(BEN, 1, 1, put("old", "1")), by(BEN, 2, 1, put("n", "7"))));
    target.awaitApplied(4);
    assertThat(target.flush()).isEqualTo(TestRegion.at(4));
  }

  private static void assertOldState(TestRegion region) {
    assertThat(region.rows()).isEqualTo(Map.of("old", "1", "n", "7"));
    assertThat(region.store.sessionCount()).isEqualTo(1);
    assertThat(region.store.applied()).isEqualTo(TestRegion.at(4));
  }

  private static void assertNewState(TestRegion region) {
    assertThat(region.rows()).isEqualTo(Map.of("n", "41", "new", "short"));
    assertThat(region.store.sessionCount()).isEqualTo(1);
    assertThat(region.store.applied()).isEqualTo(TestRegion.at(12));
    assertThat(region.store.durable()).isEqualTo(TestRegion.at(12));
    assertThat(TestRegion.results(region.commitAt(13, List.of(by(ANN, 1, 1, put("n", "0"))))))
        .containsExactly(number(41));
    assertThat(TestRegion.results(region.commitAt(14, List.of(by(ANN, 3, 1, put("n", "0"))))))
        .containsExactly(value(LONG_VALUE));
  }

  private static List<Path> staged(Path storage) throws IOException {
    try (Stream<Path> files = Files.list(storage.resolve("install"))) {
      return files.toList();
    }
  }

  @Test
  void installReplacesRowsSessionsAndPosition() throws IOException {
    Path exported = exportedAt12();
    Path home = directory.resolve("target");
    try (TestRegion target = TestRegion.open(home)) {
      fillOldState(target);
      target.store.install(exported, TestRegion.at(12));
      assertNewState(target);
      assertThat(staged(home)).isEmpty();
    }
    try (TestRegion target = TestRegion.open(home)) {
      assertThat(target.opened).isEqualTo(TestRegion.at(14));
      assertThat(target.rows()).isEqualTo(Map.of("n", "41", "new", "short"));
    }
  }

  @Test
  void anInstallCompletesReadersThatWaitForItsPosition() throws IOException {
    Path exported = exportedAt12();
    try (TestRegion target = TestRegion.open(directory.resolve("target"))) {
      var reached = target.store.awaitReadable(TestRegion.at(11)).toCompletableFuture();
      target.store.install(exported, TestRegion.at(12));
      assertThat(reached).isCompleted();
    }
  }

  /** All regions share the reader threads and the threads of the applier. */
  @Test
  void anInstallBlocksOnlyItsOwnRegion() throws IOException {
    Path exported = exportedAt12();
    StorageOptions oneApplier = TestRegion.OPTIONS.toBuilder().applyThreads(1).build();
    try (TestRegion target = TestRegion.open(directory.resolve("target"), oneApplier)) {
      RegionStore other = target.storage.region(new GroupId(2), KeyRange.ALL, Keyspace.SYSTEM);
      other.open();
      fillOldState(target);
      CompletableFuture<Void> gate = new CompletableFuture<>();
      InstallStep.CLEARED.done.on((at, region) -> gate.join());
      CompletableFuture<Void> install = CompletableFuture.runAsync(() -> install(target, exported));
      try {
        await().until(() -> failureOf(() -> target.store.get(Key.utf8("n"))).isPresent());
        target.commitAt(13, List.of(by(BEN, 3, 1, put("n", "8"))));

        assertThat(failureOf(() -> target.store.get(Key.utf8("n"))))
            .hasValueSatisfying(
                failure -> assertThat(failure).hasMessageContaining("between two states"));
        other.committed(
            new CommittedBatch(TestRegion.at(1), List.of(), CommittedBatch.Results.UNWANTED));
        await().until(() -> other.applied().index() == 1);
        assertThat(other.get(Key.utf8("n"))).isEmpty();
        assertThat(install).isNotDone();
      } finally {
        gate.complete(null);
        install.join();
      }
      target.awaitApplied(13);
      assertThat(target.get("n")).contains("8");
    }
  }

  private static void install(TestRegion target, Path exported) {
    try {
      target.store.install(exported, TestRegion.at(12));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The failure of a read on a thread of its own; the read must not wait. */
  private static Optional<Throwable> failureOf(Runnable read) {
    CompletableFuture<Throwable> ended =
        CompletableFuture.runAsync(read, task -> new Thread(task, "reader").start())
            .handle((done, failure) -> failure);
    await().until(ended::isDone);
    return Optional.ofNullable(ended.join()).map(Failures::unwrap);
  }

  @Test
  void exportIsOneCutWhileCommandsAreApplied() throws IOException {
    Path exported = Files.createDirectory(directory.resolve("exported"));
    Position cut;
    try (TestRegion source = TestRegion.open(directory.resolve("source"))) {
      for (int i = 0; i < 2_000; i++) {
        source.commit(List.of(by(ANN, i + 1, i, incrementAndGet("n", 1))));
        if (i == 1_000) {
          source.awaitApplied(500);
        }
      }
      cut = source.store.exportSnapshot(exported);
      source.awaitApplied(1_999);
    }
    try (TestRegion target = TestRegion.open(directory.resolve("target"))) {
      target.store.install(exported, cut);
      assertThat(target.get("n")).contains(Long.toString(cut.index() + 1));
      long next = cut.index() + 1;
      assertThat(
              TestRegion.results(
                  target.commitAt(next, List.of(by(ANN, next, next - 1, put("n", "0"))))))
          .containsExactly(number(next));
    }
  }

  @Test
  void emptyRegionIsExportedAndInstalled() throws IOException {
    Path exported = Files.createDirectory(directory.resolve("exported"));
    try (TestRegion source = TestRegion.open(directory.resolve("source"))) {
      source.commitBytes(9, List.of());
      source.awaitApplied(9);
      assertThat(source.store.exportSnapshot(exported)).isEqualTo(TestRegion.at(9));
    }
    try (Stream<Path> files = Files.list(exported)) {
      assertThat(files).containsExactly(exported.resolve(SnapshotManifest.FILE_NAME));
    }
    try (TestRegion target = TestRegion.open(directory.resolve("target"))) {
      fillOldState(target);
      target.store.install(exported, TestRegion.at(9));
      assertThat(target.rows()).isEmpty();
      assertThat(target.store.sessionCount()).isZero();
      assertThat(target.store.applied()).isEqualTo(TestRegion.at(9));
    }
  }

  @Test
  void anInstallDoesNotAffectNeighbouringRegions() throws IOException {
    KeyRange range = KeyRange.of(Key.utf8("b"), Key.utf8("d"));
    Path exported = Files.createDirectory(directory.resolve("exported"));
    try (TestRegion source = openRange(directory.resolve("source"), range)) {
      source.apply(put("b", "new"));
      source.store.exportSnapshot(exported);
    }
    try (TestRegion target = openRange(directory.resolve("target"), range)) {
      target.apply(put("c", "old"));
      RegionStore above =
          target.storage.region(new GroupId(2), KeyRange.from(Key.utf8("d")), Keyspace.DATA);
      above.open();
      above.committed(
          new CommittedBatch(
              TestRegion.at(0),
              List.of(by(BEN, 1, 1, put("d", "kept")).encoded()),
              CommittedBatch.Results.UNWANTED));
      above.awaitReadable(TestRegion.at(0)).toCompletableFuture().join();
      target.store.install(exported, TestRegion.at(0));
      assertThat(target.rows()).isEqualTo(Map.of("b", "new"));
      assertThat(above.get(Key.utf8("d"))).contains("kept".getBytes());
      assertThat(above.sessionCount()).isEqualTo(1);
    }
  }

  private static TestRegion openRange(Path home, KeyRange range) throws IOException {
    return TestRegion.open(home, TestRegion.OPTIONS, StorageListener.NONE, range);
  }

  @Test
  void damagedFilesAreRejectedAndTheOldStateRemains() throws IOException {
    Path exported = exportedAt12();
    List<Path> files;
    try (Stream<Path> all = Files.list(exported)) {
      files = all.toList();
    }
    assertThat(files).hasSize(3);
    try (TestRegion target = TestRegion.open(directory.resolve("target"))) {
      fillOldState(target);
      for (Path file : files) {
        byte[] whole = Files.readAllBytes(file);
        byte[] damaged = whole.clone();
        damaged[damaged.length / 2] ^= 1;
        Files.write(file, damaged);
        assertRejected(target, exported, TestRegion.at(12));
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertRejected(target, exported, TestRegion.at(12));
        Files.delete(file);
        assertRejected(target, exported, TestRegion.at(12));
        Files.write(file, whole);
      }
      target.store.install(exported, TestRegion.at(12));
      assertNewState(target);
    }
  }

  @Test
  void snapshotOfAnotherPositionOrRangeIsRejected() throws IOException {
    Path exported = exportedAt12();
    try (TestRegion target = TestRegion.open(directory.resolve("target"))) {
      fillOldState(target);
      assertRejected(target, exported, TestRegion.at(13));
    }
    try (TestRegion target = openRange(directory.resolve("other"), KeyRange.from(Key.utf8("a")))) {
      assertThatThrownBy(() -> target.store.install(exported, TestRegion.at(12)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("The snapshot is of region 1");
    }
  }

  private static void assertRejected(TestRegion target, Path exported, Position position) {
    assertThatThrownBy(() -> target.store.install(exported, position))
        .isInstanceOf(IOException.class);
    assertOldState(target);
  }

  /** Copies the files on disk after every step. */
  private static final class CrashCopies {
    private final Path home;
    private final Path copies;
    private final Map<InstallStep, Path> taken = new EnumMap<>(InstallStep.class);
    private TestRegion region;

    CrashCopies(Path home, Path copies) {
      this.home = home;
      this.copies = copies;
      for (InstallStep step : InstallStep.values()) {
        step.done.on((at, subject) -> take(step));
      }
    }

    private void take(InstallStep step) throws IOException {
      if (region != null) {
        taken.put(step, CrashCopy.take(region.storage, home, copies.resolve(step.name())));
      }
    }
  }

  /** Installs a snapshot, and returns what was on the disk after each step. */
  private Map<InstallStep, Path> crashCopies() throws IOException {
    Path exported = exportedAt12();
    Path home = directory.resolve("target");
    CrashCopies copies = new CrashCopies(home, directory.resolve("copies"));
    try (TestRegion target = TestRegion.open(home)) {
      fillOldState(target);
      copies.region = target;
      target.store.install(exported, TestRegion.at(12));
    }
    // Reopening passes the failpoints too, and the database that they copy is closed then.
    switchFailpointsOff();
    return copies.taken;
  }

  @Test
  void crashAfterAnyStepLeavesTheOldStateOrTheNew() throws IOException {
    Map<InstallStep, Path> copies = crashCopies();
    assertThat(copies).containsOnlyKeys(InstallStep.values());
    for (InstallStep step : InstallStep.values()) {
      Path crashed = copies.get(step);
      boolean isNew = step.compareTo(InstallStep.MARKED) >= 0;
      assertReopens(crashed, step, isNew);
      assertThat(staged(crashed)).as("after %s", step).isEmpty();
    }
  }

  /** A failure in the middle of the steps that the first reopening repeats. */
  @Test
  void anInstallIsResumedAgainAfterAFailureDuringItsResumption() throws IOException {
    Map<InstallStep, Path> copies = crashCopies();
    for (InstallStep step :
        List.of(InstallStep.CLEARED, InstallStep.ROWS_TAKEN, InstallStep.SESSIONS_TAKEN)) {
      Path interrupted = copies.get(InstallStep.ROWS_TAKEN);
      Path again = CrashCopy.copyTree(interrupted, directory.resolve("again-" + step));
      failAfter(step);
      assertThatThrownBy(() -> TestRegion.open(again))
          .isInstanceOf(IOException.class)
          .hasMessage("Failed after " + step);
      assertReopens(again, step, true);
    }
  }

  /** Neither the old state nor the new one is complete, so that the region must not open. */
  @Test
  void aRegionWithDamagedFilesOfAnInterruptedInstallIsLostUntilItIsRemoved() throws IOException {
    Map<InstallStep, Path> copies = crashCopies();
    Path interrupted = copies.get(InstallStep.MARKED);
    List<Path> files;
    try (Stream<Path> all = Files.list(staged(interrupted).get(0))) {
      files = all.toList();
    }
    assertThat(files).hasSize(3);
    for (Path file : files) {
      byte[] whole = Files.readAllBytes(file);
      byte[] damaged = whole.clone();
      damaged[damaged.length / 2] ^= 1;
      Files.write(file, damaged);
      assertThatThrownBy(() -> TestRegion.open(interrupted))
          .isInstanceOf(DamagedReplicaException.class)
          .hasMessageContaining(file.toString());
      Files.write(file, whole);
    }
    Files.delete(files.get(0));
    assertThatThrownBy(() -> TestRegion.open(interrupted))
        .isInstanceOf(DamagedReplicaException.class);
    try (Storage storage =
        Storage.open(interrupted, TestRegion.OPTIONS, MetricsSink.NONE, StorageListener.NONE)) {
      storage.remove(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
    }
    assertThat(staged(interrupted)).isEmpty();
    try (TestRegion begun = TestRegion.open(interrupted)) {
      assertThat(begun.opened).isEqualTo(Position.NONE);
      assertThat(begun.rows()).isEmpty();
    }
  }

  private static void assertReopens(Path home, InstallStep step, boolean isNew) throws IOException {
    try (TestRegion reopened = TestRegion.open(home)) {
      assertThat(reopened.opened).as("after %s", step).isEqualTo(TestRegion.at(isNew ? 12 : 4));
      if (isNew) {
        assertNewState(reopened);
      } else {
        assertOldState(reopened);
      }
    }
  }

  /** Fails after the step once; the repeated step succeeds. */
  private static void failAfter(InstallStep step) {
    step.done.on(
        (at, region) -> {
          at.off();
          throw new IOException("Failed after " + step);
        });
  }

  @AfterEach
  void switchFailpointsOff() {
    Failpoint.known().forEach(Failpoint::off);
  }

  @ParameterizedTest
  @EnumSource(InstallStep.class)
  void reopeningRepairsAFailureAfterAnyStep(InstallStep step) throws IOException {
    Path exported = exportedAt12();
    try (TestRegion target = TestRegion.open(directory.resolve("target"))) {
      fillOldState(target);
      failAfter(step);
      assertThatThrownBy(() -> target.store.install(exported, TestRegion.at(12)))
          .isInstanceOf(IOException.class)
          .hasMessage("Failed after " + step);
      if (step.compareTo(InstallStep.MARKED) < 0) {
        assertOldState(target);
        assertThat(target.store.open()).isEqualTo(TestRegion.at(4));
        assertOldState(target);
        return;
      }
      assertThatThrownBy(() -> target.get("n"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("between two states");
      assertThat(target.store.open()).isEqualTo(TestRegion.at(12));
      assertNewState(target);
    }
  }
}
