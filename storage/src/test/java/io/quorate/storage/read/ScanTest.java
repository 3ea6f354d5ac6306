package io.quorate.storage.read;

import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.CommittedBatch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.Position;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.RegionStore;
import io.quorate.storage.TestRegion;
import io.quorate.storage.options.Keyspace;
import io.quorate.storage.options.StorageListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanTest {
  private static final Key END = Key.utf8("y");
  private static final KeyRange REGION = KeyRange.of(Key.utf8("b"), END);

  @TempDir Path directory;
  private TestRegion region;

  @BeforeEach
  void open() throws IOException {
    region = TestRegion.open(directory, TestRegion.OPTIONS, StorageListener.NONE, REGION);
    // Rows of neighbouring regions in the same column family must never be returned.
    RegionStore below = neighbour(2, KeyRange.of(Key.EMPTY, Key.utf8("b")));
    RegionStore above = neighbour(3, KeyRange.from(Key.utf8("y")));
    commit(below, "a", "below");
    commit(above, "y", "above");
    region.apply(put("b", "1"), put("c", "22"), put("d", "333"), put("x", "4444"));
  }

  private RegionStore neighbour(int id, KeyRange range) throws IOException {
    RegionStore store = region.storage.region(new GroupId(id), range, Keyspace.DATA);
    store.open();
    return store;
  }

  private static void commit(RegionStore store, String key, String value) {
    store.committed(
        new CommittedBatch(
            TestRegion.at(0),
            List.of(TestRegion.untagged(put(key, value)).encoded()),
            CommittedBatch.Results.UNWANTED));
    store.awaitReadable(TestRegion.at(0)).toCompletableFuture().join();
  }

  @AfterEach
  void close() {
    region.close();
  }

  private ScanPage scan(KeyRange range, int rows, int bytes) {
    return region.store.scan(range, rows, bytes);
  }

  private static List<String> keys(ScanPage page) {
    return page.rows().stream()
        .map(row -> TestRegion.text(ByteBuffer.wrap(row.key().bytes())))
        .toList();
  }

  @Test
  void returnsRowsOfTheRangeInKeyOrder() {
    ScanPage all = scan(REGION, 100, 1 << 20);
    assertThat(keys(all)).containsExactly("b", "c", "d", "x");
    assertThat(all.rows().get(2).value()).isEqualTo(TestRegion.bytes("333"));
    assertThat(all.continueAt()).isEmpty();
    assertThat(keys(scan(KeyRange.of(Key.utf8("c"), Key.utf8("x")), 100, 1 << 20)))
        .containsExactly("c", "d");
    assertThat(keys(scan(KeyRange.of(Key.utf8("cc"), END), 100, 1 << 20)))
        .containsExactly("d", "x");
  }

  @Test
  void anEmptyRangeHasNoRows() {
    for (KeyRange range :
        List.of(
            KeyRange.of(Key.utf8("c"), Key.utf8("c")), KeyRange.of(Key.utf8("z"), Key.utf8("z")))) {
      ScanPage page = scan(range, 10, 1 << 20);
      assertThat(page.rows()).isEmpty();
      assertThat(page.continueAt()).isEmpty();
    }
  }

  @Test
  void aRangeThatTheRegionDoesNotHaveIsRejected() {
    for (KeyRange range :
        List.of(
            KeyRange.ALL,
            KeyRange.of(Key.EMPTY, Key.utf8("b")),
            KeyRange.from(Key.utf8("y")),
            KeyRange.of(Key.utf8("x"), Key.utf8("z")))) {
      for (ScanOrder order : ScanOrder.values()) {
        assertThatThrownBy(() -> region.store.cut(range, order, 10, 1 << 20, ScanPlan.MERGE))
            .isInstanceOf(OutOfRangeException.class)
            .hasMessageContaining("Region 1 holds the keys [\"b\", \"y\"), not");
      }
    }
  }

  @Test
  void theCutIsAtTheAppliedPosition() {
    Position before = region.store.applied();
    for (KeyRange range : List.of(REGION, KeyRange.of(Key.utf8("c"), Key.utf8("c")))) {
      assertThat(region.store.cut(range, ScanOrder.FORWARD, 10, 1 << 20, ScanPlan.MERGE).position())
          .isEqualTo(before);
    }
    region.apply(put("e", "5"));
    ScanCut after = region.store.cut(REGION, ScanOrder.FORWARD, 10, 1 << 20, ScanPlan.MERGE);
    assertThat(keys(after.page())).containsExactly("b", "c", "d", "e", "x");
    assertThat(after.position()).isEqualTo(TestRegion.at(before.index() + 1));
  }

  @Test
  void pageEndsAtTheRowLimitAndReturnsTheNextKey() {
    ScanPage first = scan(REGION, 3, 1 << 20);
    assertThat(keys(first)).containsExactly("b", "c", "d");
    assertThat(first.continueAt()).contains(Key.utf8("d").next());
    ScanPage second = scan(KeyRange.of(first.continueAt().orElseThrow(), END), 3, 1 << 20);
    assertThat(keys(second)).containsExactly("x");
    assertThat(second.continueAt()).isEmpty();
  }

  @Test
  void fullPageWithoutFurtherRowsIsTheLast() {
    assertThat(scan(REGION, 4, 1 << 20).continueAt()).isEmpty();
    assertThat(scan(KeyRange.of(Key.utf8("b"), Key.utf8("d")), 2, 1 << 20).continueAt()).isEmpty();
  }

  @Test
  void pageEndsAtTheByteLimitButHasAtLeastOneRow() {
    // Key and value of the first two rows have 2 and 3 bytes.
    assertThat(keys(scan(REGION, 100, 5))).containsExactly("b", "c");
    assertThat(scan(REGION, 100, 5).continueAt()).contains(Key.utf8("c").next());
    assertThat(keys(scan(REGION, 100, 4))).containsExactly("b");
    assertThat(keys(scan(KeyRange.of(Key.utf8("d"), END), 100, 0))).containsExactly("d");
    assertThat(scan(KeyRange.of(Key.utf8("x"), END), 100, 0).continueAt())
        .isEqualTo(Optional.empty());
  }

  @Test
  void aReverseScanReturnsTheHighestRowsFirst() {
    assertThat(keys(reverse(REGION, 100))).containsExactly("x", "d", "c", "b");
    KeyRange part = KeyRange.of(Key.utf8("c"), Key.utf8("x"));
    assertThat(keys(reverse(part, 100))).containsExactly("d", "c");
    assertThat(keys(reverse(KeyRange.of(Key.utf8("e"), Key.utf8("f")), 100))).isEmpty();
  }

  @Test
  void aPageOfAReverseScanReturnsTheEndOfTheNext() {
    ScanPage first = reverse(REGION, 3);
    assertThat(keys(first)).containsExactly("x", "d", "c");
    assertThat(first.continueAt()).contains(Key.utf8("c"));
    ScanPage second = reverse(KeyRange.of(REGION.start(), first.continueAt().orElseThrow()), 3);
    assertThat(keys(second)).containsExactly("b");
    assertThat(second.continueAt()).isEmpty();
    assertThat(reverse(REGION, 4).continueAt()).isEmpty();
  }

  private ScanPage reverse(KeyRange range, int rows) {
    return region.store.cut(range, ScanOrder.REVERSE, rows, 1 << 20, ScanPlan.MERGE).page();
  }

  @Test
  void scanForZeroRowsIsRejected() {
    assertThatThrownBy(() -> scan(REGION, 0, 100))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at least 1 row");
  }

  @Test
  void keyspacesAreSeparate() throws IOException {
    RegionStore metadata = region.storage.region(new GroupId(0), KeyRange.ALL, Keyspace.SYSTEM);
    metadata.open();
    commit(metadata, "c", "system");
    assertThat(metadata.scan(KeyRange.ALL, 10, 100).rows()).hasSize(1);
    assertThat(region.get("c")).contains("22");
  }

  @Test
  void regionThatIsNotOpenCannotBeRead() throws IOException {
    RegionStore closed = region.storage.region(new GroupId(9), KeyRange.ALL, Keyspace.SYSTEM);
    assertThatThrownBy(() -> closed.get(Key.utf8("k")))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("not open");
    assertThatThrownBy(() -> closed.scan(KeyRange.ALL, 1, 1))
        .isInstanceOf(UncheckedIOException.class);
  }
}
