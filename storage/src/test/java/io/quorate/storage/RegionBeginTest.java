package io.quorate.storage;

import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regions that begin empty, many at a time. */
class RegionBeginTest {
  private static final int REGIONS = 100;

  private final AtomicInteger flushes = new AtomicInteger();

  @TempDir Path directory;

  @AfterEach
  void switchOff() {
    StoragePoints.BEFORE_FLUSH.off();
  }

  private void countFlushes() {
    StoragePoints.BEFORE_FLUSH.on((point, subject) -> flushes.incrementAndGet());
  }

  private static Map<GroupId, KeyRange> ranges() {
    Map<GroupId, KeyRange> ranges = new TreeMap<>();
    for (int i = 0; i < REGIONS; i++) {
      ranges.put(new GroupId(1 + i), KeyRange.of(key(i), key(i + 1)));
    }
    return ranges;
  }

  private static Key key(int number) {
    return Key.utf8("k%03d".formatted(number));
  }

  private static void openAll(Storage storage) throws IOException {
    for (Map.Entry<GroupId, KeyRange> each : ranges().entrySet()) {
      RegionStore region = storage.region(each.getKey(), each.getValue(), Keyspace.DATA);
      region.open();
      assertThat(region.range()).isEqualTo(each.getValue());
    }
  }

  @Test
  void manyRegionsBeginDurablyWithOneFlush() throws IOException {
    Path home = directory.resolve("home");
    Path copy = directory.resolve("copy");
    try (Storage storage = Storage.open(home, TestRegion.OPTIONS, MetricsSink.NONE)) {
      countFlushes();
      storage.begin(ranges(), Keyspace.DATA);
      CrashCopy.take(storage, home, copy);
      openAll(storage);
      assertThat(flushes).hasValue(1);
    }
    try (Storage storage = Storage.open(copy, TestRegion.OPTIONS, MetricsSink.NONE)) {
      flushes.set(0);
      for (GroupId region : ranges().keySet()) {
        assertThat(storage.holds(region)).isTrue();
      }
      storage.begin(ranges(), Keyspace.DATA);
      openAll(storage);
      assertThat(flushes).as("what was on disk at the start").hasValue(0);
    }
  }

  @Test
  void regionsThatHaveAStateKeepIt() throws IOException {
    try (TestRegion region = TestRegion.open(directory)) {
      region.apply(put("k", "v"));
      region.storage.begin(
          Map.of(TestRegion.GROUP, KeyRange.of(Key.EMPTY, Key.utf8("a"))), Keyspace.DATA);
      assertThat(region.store.range()).isEqualTo(KeyRange.ALL);
      assertThat(region.get("k")).contains("v");
    }
  }

  @Test
  void noRegionBeginsWhereOneHasKeysOfAnother() throws IOException {
    GroupId low = new GroupId(8);
    GroupId high = new GroupId(9);
    Key middle = Key.utf8("m");
    KeyRange lower = KeyRange.of(Key.EMPTY, middle);
    try (Storage storage = Storage.open(directory, TestRegion.OPTIONS, MetricsSink.NONE)) {
      storage.region(TestRegion.GROUP, KeyRange.from(middle), Keyspace.DATA).open();
      Map<GroupId, KeyRange> both = new TreeMap<>(Map.of(low, lower, high, KeyRange.from(middle)));
      assertThatThrownBy(() -> storage.begin(both, Keyspace.DATA))
          .isInstanceOf(OverlappingRangesException.class);
      assertThat(storage.holds(low)).isFalse();
      storage.begin(Map.of(high, lower), Keyspace.DATA);
      assertThat(storage.holds(high)).as("the range was free again").isTrue();
    }
  }
}
