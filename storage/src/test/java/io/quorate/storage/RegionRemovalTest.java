package io.quorate.storage;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.BodyId;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.ClientId;
import io.quorate.storage.body.BodyStore;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RegionRemovalTest {
  private static final KeyRange LOW = new KeyRange(Key.EMPTY, Optional.of(Key.utf8("m")));
  private static final KeyRange HIGH = KeyRange.from(Key.utf8("m"));
  private static final GroupId NEIGHBOUR = new GroupId(2);

  @TempDir Path directory;

  @AfterEach
  void switchOff() {
    StoragePoints.BEFORE_FLUSH.off();
  }

  @Test
  void aRemovedRegionBeginsAgainWithoutRowsSessionsAndPosition() throws IOException {
    ClientCommand request = by(new ClientId(1, 2), 1, 1, incrementAndGet("n", 1));
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.apply(request)).isEqualTo(number(1));
      region.flush();
      remove(region, KeyRange.ALL);
      assertThatThrownBy(() -> region.get("n"))
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("The region is not open.");
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.opened).isEqualTo(Position.NONE);
      assertThat(region.get("n")).isEmpty();
      assertThat(region.store.sessionCount()).isZero();
      assertThat(region.apply(request)).isEqualTo(number(1));
    }
  }

  @Test
  void aRegionIsOpenedAgainInTheSameProcess() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v"));
      remove(region, KeyRange.ALL);
      RegionStore again = region.storage.region(TestRegion.GROUP, KeyRange.ALL, Keyspace.DATA);
      assertThat(again).isNotSameAs(region.store);
      assertThat(again.open()).isEqualTo(Position.NONE);
      assertThat(again.get(Key.utf8("k"))).isEmpty();
      remove(region, KeyRange.ALL);
      remove(region, KeyRange.ALL);
    }
  }

  @Test
  void otherRegionsKeepTheirRows() throws IOException {
    try (TestRegion region = open(LOW)) {
      region.apply(put("a", "v"));
      RegionStore neighbour = region.storage.region(NEIGHBOUR, HIGH, Keyspace.DATA);
      neighbour.open();
      region.storage.remove(NEIGHBOUR, HIGH, Keyspace.DATA);
      assertThat(region.get("a")).contains("v");
      assertThat(region.store.applied()).isEqualTo(TestRegion.at(0));
    }
  }

  @Test
  void aCrashDuringTheRemovalLeavesTheWholeState() throws IOException {
    Path copy = directory.resolve("copy");
    Path home = directory.resolve("home");
    try (TestRegion region = TestRegion.open(home)) {
      region.apply(put("k", "v"));
      region.flush();
      StoragePoints.BEFORE_FLUSH.on(
          (point, subject) -> {
            point.off();
            CrashCopy.take(region.storage, home, copy);
          });
      remove(region, KeyRange.ALL);
    }
    try (TestRegion region = TestRegion.open(copy)) {
      assertThat(region.opened).isEqualTo(TestRegion.at(0));
      assertThat(region.get("k")).contains("v");
    }
  }

  @Test
  void aRemovalThatFailsIsRepeated() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v"));
      StoragePoints.BEFORE_FLUSH.on(
          (point, subject) -> {
            throw new IOException("no space left");
          });
      assertThatThrownBy(() -> remove(region, KeyRange.ALL)).hasMessageContaining("no space left");
      assertThatThrownBy(() -> region.get("k")).isInstanceOf(UncheckedIOException.class);
      StoragePoints.BEFORE_FLUSH.off();
      remove(region, KeyRange.ALL);
    }
    try (TestRegion region = TestRegion.open(directory)) {
      assertThat(region.opened).isEqualTo(Position.NONE);
    }
  }

  /** A leader that copies bodies to this node soon relies on what it finds here. */
  @Test
  void theBodiesOfARemovedRegionAreGoneAtOnce() throws IOException {
    try (TestRegion region = TestRegion.open(directory, TestRegion.BODIES)) {
      BodyStore bodies = region.storage.bodyStore().orElseThrow();
      BodyId own = new BodyId(TestRegion.GROUP, 1, 0);
      BodyId other = new BodyId(NEIGHBOUR, 1, 0);
      for (BodyId body : List.of(own, other)) {
        bodies.put(body, List.of(ByteBuffer.allocate(100))).join();
      }
      region.apply(put("k", "v"));
      remove(region, KeyRange.ALL);
      assertThat(bodies.contains(own)).isFalse();
      assertThat(bodies.contains(other)).isTrue();
    }
  }

  private TestRegion open(KeyRange range) throws IOException {
    return TestRegion.open(directory, TestRegion.OPTIONS, StorageListener.NONE, range);
  }

  private static void remove(TestRegion region, KeyRange range) throws IOException {
    region.storage.remove(TestRegion.GROUP, range, Keyspace.DATA);
  }
}
