package io.quorate.storage.snapshot;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static io.quorate.storage.TestRegion.untagged;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.common.Failpoint;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
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
import io.quorate.storage.read.OutOfRangeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots from after a merge, at nodes that have or have not applied it. */
class MergeSnapshotTest {
  private static final GroupId LEFT = new GroupId(1);
  private static final GroupId RIGHT = new GroupId(2);
  private static final GroupId MERGE = new GroupId(3);
  private static final GroupId CHILD = new GroupId(4);
  private static final KeyRange LOWER = KeyRange.of(Key.EMPTY, Key.utf8("m"));
  private static final KeyRange UPPER = KeyRange.from(Key.utf8("m"));
  private static final ClientId ANN = new ClientId(1, 1);

  @TempDir Path directory;
  private Path frozen;
  private Path merged;
  private Path split;
  private Path ofChild;

  /** Snapshots of the frozen region, and of the other one after the merge and after a split. */
  @BeforeEach
  void export() throws IOException {
    frozen = Files.createDirectory(directory.resolve("frozen"));
    merged = Files.createDirectory(directory.resolve("merged"));
    split = Files.createDirectory(directory.resolve("split"));
    ofChild = Files.createDirectory(directory.resolve("child"));
    try (Storage source = storage(directory.resolve("source"))) {
      RegionStore left = opened(source.region(LEFT, LOWER, Keyspace.DATA));
      RegionStore right = opened(source.region(RIGHT, UPPER, Keyspace.DATA));
      apply(left, 1, untagged(put("a", "1")));
      apply(right, 1, by(ANN, 1, 1, incrementAndGet("z", 1)));
      apply(right, 2, untagged(new Operation.Freeze(MERGE)));
      assertThat(right.exportSnapshot(frozen)).isEqualTo(TestRegion.at(2));
      apply(left, 2, untagged(right.mergeState().absorb(MERGE).orElseThrow()));
      assertThat(left.exportSnapshot(merged)).isEqualTo(TestRegion.at(2));
      apply(left, 3, untagged(new Operation.Split(Key.utf8("m"), CHILD)));
      assertThat(left.exportSnapshot(split)).isEqualTo(TestRegion.at(3));
      RegionStore child = opened(source.region(CHILD, Keyspace.DATA));
      apply(child, 1, untagged(put("z", "7")));
      assertThat(child.exportSnapshot(ofChild)).isEqualTo(TestRegion.at(1));
    }
  }

  @AfterEach
  void off() {
    Failpoint.known().forEach(Failpoint::off);
  }

  private static Storage storage(Path home) throws IOException {
    return Storage.open(home, TestRegion.OPTIONS, MetricsSink.NONE);
  }

  private static RegionStore opened(RegionStore store) throws IOException {
    store.open();
    return store;
  }

  private static Result apply(RegionStore store, long at, ClientCommand request) {
    return TestRegion.applyTo(store, TestRegion.at(at), request);
  }

  private static void assertMerged(RegionStore left) {
    assertThat(left.range()).isEqualTo(KeyRange.ALL);
    assertThat(TestRegion.rows(left)).isEqualTo(Map.of("a", "1", "z", "1"));
    assertThat(apply(left, 9, by(ANN, 1, 1, incrementAndGet("z", 1)))).isEqualTo(number(1));
  }

  @Test
  void aReplicaThatSkipsTheMergeEndsTheOtherRegion() throws IOException {
    try (Storage lagging = storage(directory.resolve("lagging"))) {
      RegionStore left = opened(lagging.region(LEFT, LOWER, Keyspace.DATA));
      RegionStore right = opened(lagging.region(RIGHT, UPPER, Keyspace.DATA));
      apply(right, 1, untagged(put("y", "behind")));
      left.install(merged, TestRegion.at(2));
      assertMerged(left);
      assertThatThrownBy(() -> right.get(Key.utf8("y"))).isInstanceOf(OutOfRangeException.class);
      assertThat(lagging.holds(RIGHT)).isFalse();
      assertThatThrownBy(() -> right.install(frozen, TestRegion.at(2)))
          .isInstanceOf(OverlappingRangesException.class);
      assertMerged(left);
      lagging.remove(RIGHT, UPPER, Keyspace.DATA);
      assertMerged(left);
    }
  }

  @TestFactory
  Stream<DynamicTest> aCrashOfTheInstallLeavesOneStateOrTheOther() {
    return Arrays.stream(InstallStep.values())
        .map(
            step ->
                DynamicTest.dynamicTest(
                    step.name(), () -> crashAt(step, directory.resolve(step.name()))));
  }

  private void crashAt(InstallStep step, Path home) throws IOException {
    List<Path> crashes = new ArrayList<>();
    Path snapshot = copy(merged, home.resolveSibling(step.name() + "-snapshot"));
    try (Storage lagging = storage(home)) {
      RegionStore left = opened(lagging.region(LEFT, LOWER, Keyspace.DATA));
      RegionStore right = opened(lagging.region(RIGHT, UPPER, Keyspace.DATA));
      apply(right, 1, untagged(put("y", "behind")));
      lagging.flush();
      step.done.on(
          (at, subject) ->
              crashes.add(
                  CrashCopy.take(lagging, home, home.resolveSibling(step.name() + "-crash"))));
      left.install(snapshot, TestRegion.at(2));
    } finally {
      step.done.off();
    }
    assertThat(crashes).hasSize(1);
    try (Storage crashed = storage(crashes.get(0))) {
      boolean isMarked = crashed.range(RIGHT).isEmpty();
      assertThat(isMarked).isEqualTo(step.compareTo(InstallStep.MARKED) >= 0);
      RegionStore left = opened(crashed.region(LEFT, LOWER, Keyspace.DATA));
      if (isMarked) {
        assertMerged(left);
      } else {
        RegionStore right = opened(crashed.region(RIGHT, UPPER, Keyspace.DATA));
        assertThat(TestRegion.rows(right)).isEqualTo(Map.of("y", "behind"));
        assertThat(left.range()).isEqualTo(LOWER);
      }
    }
  }

  private static Path copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
    return to;
  }

  /** The keys that have left again are free, although the region has never had them here. */
  @Test
  void aReplicaThatSkipsTheMergeAndALaterSplitLeavesTheKeys() throws IOException {
    try (Storage lagging = storage(directory.resolve("lagging"))) {
      RegionStore left = opened(lagging.region(LEFT, LOWER, Keyspace.DATA));
      RegionStore right = opened(lagging.region(RIGHT, UPPER, Keyspace.DATA));
      apply(right, 1, untagged(put("y", "behind")));
      left.install(split, TestRegion.at(3));
      assertThat(left.range()).isEqualTo(LOWER);
      assertThat(left.newestChange()).isEqualTo(CHILD);
      assertThat(lagging.range(RIGHT)).as("to be removed by the node").contains(UPPER);
      RegionStore child = opened(lagging.region(CHILD, Keyspace.DATA));
      assertThatThrownBy(() -> child.install(ofChild, TestRegion.at(1)))
          .as("it begins where the other one does, which was absorbed before")
          .isInstanceOf(OverlappingRangesException.class);
      lagging.remove(RIGHT, UPPER, Keyspace.DATA);
      child.install(ofChild, TestRegion.at(1));
      assertThat(TestRegion.rows(child)).isEqualTo(Map.of("z", "7"));
    }
  }

  @Test
  void aSnapshotFromBeforeALaterSplitIsRefusedWhereTheChildIs() throws IOException {
    try (Storage ahead = storage(directory.resolve("ahead"))) {
      RegionStore child = opened(ahead.region(CHILD, Keyspace.DATA));
      child.install(ofChild, TestRegion.at(1));
      RegionStore left = opened(ahead.region(LEFT, Keyspace.DATA));
      assertThatThrownBy(() -> left.install(merged, TestRegion.at(2)))
          .isInstanceOf(OverlappingRangesException.class);
      left.install(split, TestRegion.at(3));
      assertThat(TestRegion.rows(left)).isEqualTo(Map.of("a", "1"));
      assertThat(TestRegion.rows(child)).isEqualTo(Map.of("z", "7"));
    }
  }

  @Test
  void aFrozenRegionIsInstalledFrozen() throws IOException {
    try (Storage lagging = storage(directory.resolve("lagging"))) {
      RegionStore right = opened(lagging.region(RIGHT, UPPER, Keyspace.DATA));
      right.install(frozen, TestRegion.at(2));
      assertThatThrownBy(() -> right.get(Key.utf8("z"))).isInstanceOf(OutOfRangeException.class);
      assertThat(right.mergeState().isFrozenBy(MERGE)).isTrue();
      RegionStore left = opened(lagging.region(LEFT, LOWER, Keyspace.DATA));
      apply(left, 1, untagged(put("a", "1")));
      apply(left, 2, untagged(right.mergeState().absorb(MERGE).orElseThrow()));
      assertMerged(left);
    }
  }
}
