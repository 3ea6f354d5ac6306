package io.quorate.storage.snapshot;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Failpoint;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.storage.CrashCopy;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.TestRegion;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots from before and after a split, at replicas that have or have not split. */
class SplitSnapshotTest {
  private static final GroupId PARENT = TestRegion.GROUP;
  private static final GroupId CHILD = new GroupId(7);
  private static final ClientId ANN = new ClientId(1, 1);
  private static final Key M = Key.utf8("m");
  private static final KeyRange LEFT = KeyRange.of(Key.EMPTY, M);
  private static final KeyRange RIGHT = KeyRange.from(M);

  @TempDir Path directory;
  private Path before;
  private Path after;
  private Path ofChild;

  @AfterEach
  void switchFailpointsOff() {
    Failpoint.known().forEach(Failpoint::off);
  }

  private static Operation split(String at, int child) {
    return new Operation.Split(Key.utf8(at), new GroupId(child));
  }

  /** Of a region that splits at position 11: snapshots at 10 and 12, and one of the child at 0. */
  private void export() throws IOException {
    before = Files.createDirectory(directory.resolve("before"));
    after = Files.createDirectory(directory.resolve("after"));
    ofChild = Files.createDirectory(directory.resolve("child"));
    try (TestRegion source = TestRegion.open(directory.resolve("source"))) {
      source.commitAt(
          10, List.of(by(ANN, 1, 1, put("a", "1")), by(ANN, 2, 1, incrementAndGet("z", 1))));
      source.awaitApplied(10);
      assertThat(source.store.exportSnapshot(before)).isEqualTo(TestRegion.at(10));
      source.commitAt(11, List.of(TestRegion.untagged(split("m", 7))));
      source.commitAt(12, List.of(by(ANN, 3, 1, put("b", "1"))));
      source.awaitApplied(12);
      assertThat(source.store.exportSnapshot(after)).isEqualTo(TestRegion.at(12));
      RegionStore child = source.storage.region(CHILD, Keyspace.DATA);
      child.open();
      assertThat(apply(child, 0, by(ANN, 4, 1, incrementAndGet("z", 1)))).isEqualTo(number(2));
      assertThat(child.exportSnapshot(ofChild)).isEqualTo(TestRegion.at(0));
    }
  }

  private static Result apply(RegionStore store, long at, ClientCommand request) {
    return TestRegion.applyTo(store, TestRegion.at(at), request);
  }

  private static Storage storage(Path home) throws IOException {
    return Storage.open(home, TestRegion.OPTIONS, MetricsSink.NONE);
  }

  /** A replica that has applied position 10 only. */
  private static void fillBefore(TestRegion lagging) {
    lagging.commitAt(
        10, List.of(by(ANN, 1, 1, put("a", "1")), by(ANN, 2, 1, incrementAndGet("z", 1))));
    lagging.awaitApplied(10);
  }

  @Test
  void aReplicaThatSkipsTheSplitHasTheLeftPartOnly() throws IOException {
    export();
    Path home = directory.resolve("lagging");
    try (TestRegion lagging = TestRegion.open(home)) {
      fillBefore(lagging);
      lagging.store.install(after, TestRegion.at(12));
      assertThat(lagging.store.range()).isEqualTo(LEFT);
      assertThat(lagging.rows()).isEqualTo(Map.of("a", "1", "b", "1"));
      assertThat(lagging.storage.children()).as("it has no rows for the child").isEmpty();
      assertThat(lagging.hasRow("z")).as("nor does it keep those of the former range").isFalse();
      assertThat(apply(lagging.store, 13, by(ANN, 2, 1, incrementAndGet("z", 1))))
          .isEqualTo(Result.OUT_OF_RANGE);
      RegionStore child = lagging.storage.region(CHILD, Keyspace.DATA);
      assertThat(child.open()).isEqualTo(Position.NONE);
      child.install(ofChild, TestRegion.at(0));
      assertThat(TestRegion.rows(child)).isEqualTo(Map.of("z", "2"));
    }
    try (TestRegion lagging = TestRegion.open(home)) {
      assertThat(lagging.store.range()).isEqualTo(LEFT);
      RegionStore child = lagging.storage.region(CHILD, Keyspace.DATA);
      assertThat(child.open()).isEqualTo(TestRegion.at(0));
      assertThat(child.range()).isEqualTo(RIGHT);
      assertThat(lagging.storage.children()).isEqualTo(Map.of(CHILD, PARENT));
      assertThat(apply(child, 1, by(ANN, 2, 1, incrementAndGet("z", 1)))).isEqualTo(number(1));
      assertThat(apply(child, 2, by(ANN, 4, 1, incrementAndGet("z", 1)))).isEqualTo(number(2));
    }
  }

  @Test
  void aSnapshotFromBeforeTheSplitIsRefusedWhereItIsApplied() throws IOException {
    export();
    try (TestRegion region = TestRegion.open(directory.resolve("target"))) {
      region.applyOne(put("z", "9"));
      region.applyOne(split("m", 7));
      assertThatThrownBy(() -> region.store.install(before, TestRegion.at(10)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no later state of region 1 with keys " + LEFT);
      assertThat(region.store.range()).isEqualTo(LEFT);
      region.store.install(after, TestRegion.at(12));
      assertThat(region.rows()).isEqualTo(Map.of("a", "1", "b", "1"));
      RegionStore child = region.storage.region(CHILD, Keyspace.DATA);
      child.open();
      assertThat(TestRegion.rows(child)).as("the rows of the child").isEqualTo(Map.of("z", "9"));
    }
  }

  /** The node has the child, and its replica of the parent begins again. */
  @Test
  void aSnapshotWithTheKeysOfALocalChildIsRefusedAndALaterOneInstalled() throws IOException {
    export();
    try (Storage storage = storage(directory.resolve("target"))) {
      RegionStore child = storage.region(CHILD, Keyspace.DATA);
      child.open();
      child.install(ofChild, TestRegion.at(0));
      RegionStore parent = storage.region(PARENT, Keyspace.DATA);
      assertThat(parent.open()).isEqualTo(Position.NONE);
      assertThatThrownBy(() -> parent.install(before, TestRegion.at(10)))
          .isInstanceOf(OverlappingRangesException.class)
          .hasMessageContaining("region 7 has the keys " + RIGHT);
      assertThat(storage.holds(PARENT)).isFalse();
      assertThat(TestRegion.rows(child)).isEqualTo(Map.of("z", "2"));
      parent.install(after, TestRegion.at(12));
      assertThat(TestRegion.rows(parent)).isEqualTo(Map.of("a", "1", "b", "1"));
      assertThat(TestRegion.rows(child)).isEqualTo(Map.of("z", "2"));
    }
  }

  /** The node lags with the parent, and a replica of the child moves here. */
  @Test
  void aSnapshotOfTheChildIsRefusedWhereTheParentHasNotSplit() throws IOException {
    export();
    try (TestRegion lagging = TestRegion.open(directory.resolve("lagging"))) {
      fillBefore(lagging);
      RegionStore child = lagging.storage.region(CHILD, Keyspace.DATA);
      child.open();
      assertThatThrownBy(() -> child.install(ofChild, TestRegion.at(0)))
          .isInstanceOf(OverlappingRangesException.class);
      assertThat(lagging.rows()).isEqualTo(Map.of("a", "1", "z", "1"));
      lagging.store.install(after, TestRegion.at(12));
      child.install(ofChild, TestRegion.at(0));
      assertThat(TestRegion.rows(child)).isEqualTo(Map.of("z", "2"));
      assertThat(lagging.rows()).isEqualTo(Map.of("a", "1", "b", "1"));
    }
  }

  @Test
  void aSnapshotWithOtherKeysAndNoFurtherChangeIsRefused() throws IOException {
    export();
    try (Storage storage = storage(directory.resolve("narrow"))) {
      RegionStore narrow =
          storage.region(PARENT, KeyRange.of(Key.EMPTY, Key.utf8("c")), Keyspace.DATA);
      narrow.open();
      assertThatThrownBy(() -> narrow.install(before, TestRegion.at(10)))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("no later state");
    }
  }

  /** Nodes of a former version, in a rolling upgrade, can install it. */
  @Test
  void aRegionThatHasNotSplitIsExportedInTheFormerFormat() throws IOException {
    export();
    assertThat(version(before)).isEqualTo(1);
    assertThat(version(after)).isEqualTo(2);
    assertThat(version(ofChild)).isEqualTo(2);
    try (Storage storage = storage(directory.resolve("target"))) {
      RegionStore joiner = storage.region(PARENT, Keyspace.DATA);
      joiner.open();
      joiner.install(before, TestRegion.at(10));
      assertThat(joiner.range()).isEqualTo(KeyRange.ALL);
      assertThat(apply(joiner, 11, TestRegion.untagged(split("m", 7)))).isEqualTo(Result.DONE);
      assertThat(joiner.range()).isEqualTo(LEFT);
    }
  }

  private static int version(Path snapshot) throws IOException {
    return ByteBuffer.wrap(Files.readAllBytes(snapshot.resolve(SnapshotManifest.FILE_NAME)))
        .getShort(Integer.BYTES);
  }

  /** The skipping replica is interrupted after each step; it has the old range or the new one. */
  @Test
  void aCrashAfterAnyStepLeavesTheOldRangeOrTheNew() throws IOException {
    export();
    Path home = directory.resolve("lagging");
    Map<InstallStep, Path> copies = new EnumMap<>(InstallStep.class);
    try (TestRegion lagging = TestRegion.open(home)) {
      fillBefore(lagging);
      lagging.flush();
      for (InstallStep step : InstallStep.values()) {
        step.done.on(
            (at, subject) ->
                copies.put(
                    step,
                    CrashCopy.take(lagging.storage, home, directory.resolve("copy-" + step))));
      }
      lagging.store.install(after, TestRegion.at(12));
    }
    switchFailpointsOff();
    assertThat(copies).containsOnlyKeys(InstallStep.values());
    for (InstallStep step : InstallStep.values()) {
      boolean isNew = step.compareTo(InstallStep.MARKED) >= 0;
      try (TestRegion crashed = TestRegion.open(copies.get(step))) {
        assertThat(crashed.store.range())
            .as("after %s", step)
            .isEqualTo(isNew ? LEFT : KeyRange.ALL);
        assertThat(crashed.rows())
            .as("after %s", step)
            .isEqualTo(isNew ? Map.of("a", "1", "b", "1") : Map.of("a", "1", "z", "1"));
      }
    }
  }

  /** From the marker on, no other region may begin with the keys. */
  @Test
  void theKeysOfAnInterruptedInstallAreTakenAfterACrash() throws IOException {
    export();
    Path home = directory.resolve("joiner");
    Path copy = directory.resolve("copy");
    try (Storage storage = storage(home)) {
      RegionStore joiner = storage.region(CHILD, Keyspace.DATA);
      joiner.open();
      InstallStep.MARKED.done.on((at, subject) -> CrashCopy.take(storage, home, copy));
      joiner.install(ofChild, TestRegion.at(0));
    }
    switchFailpointsOff();
    try (Storage storage = storage(copy)) {
      assertThatThrownBy(() -> storage.region(PARENT, KeyRange.ALL, Keyspace.DATA))
          .isInstanceOf(OverlappingRangesException.class);
      RegionStore joiner = storage.region(CHILD, Keyspace.DATA);
      assertThat(joiner.open()).isEqualTo(TestRegion.at(0));
      assertThat(TestRegion.rows(joiner)).isEqualTo(Map.of("z", "2"));
    }
  }
}
