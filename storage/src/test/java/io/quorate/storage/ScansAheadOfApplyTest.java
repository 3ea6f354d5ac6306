package io.quorate.storage;

import static io.quorate.storage.TestRegion.at;
import static io.quorate.storage.TestRegion.delete;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ScanOrder;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.ScanCut;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Scans of committed writes while the applier is blocked. */
class ScansAheadOfApplyTest extends AheadOfApplyFixture {
  private static final StorageOptions BY_COST =
      BOTH.toBuilder().scans(StorageOptions.Scans.COST_MODEL).build();

  /** A cost far above any that is measured in a test. */
  private static final long DAY_NANOS = TimeUnit.DAYS.toNanos(1);

  /** Examples 5.1 to 5.4: the log has x = 9, something else, and z = 7. */
  @Test
  void examplesWithoutDeletions() throws IOException {
    try (TestRegion region = examples()) {
      commitAll(region, put("x", "9"));
      commitAll(region, put("other", "1"));
      commitAll(region, put("z", "7"));
      assertThat(region.store.awaitReadable(at(region.lastIndex())).toCompletableFuture())
          .isCompleted();
      assertThat(region.store.applied()).isEqualTo(at(region.lastIndex() - 3));
      assertThat(region.get("z")).contains("7");
      assertThat(region.get("y")).contains("0");
      Map<String, String> all = Map.of("x", "9", "y", "0", "z", "7");
      Map<String, String> two = Map.of("x", "9", "y", "0");
      assertThat(scan(region, "x", 3)).isEqualTo(all);
      assertThat(scan(region, "x", 2)).isEqualTo(two);
      releaseWrites();
      region.awaitApplied(region.lastIndex());
      assertThat(scan(region, "x", 3)).isEqualTo(all);
      assertThat(scan(region, "x", 2)).isEqualTo(two);
    }
  }

  /** Also for a range without the changed keys. */
  @Test
  void aCutIsAtThePositionOfTheOverlay() throws IOException {
    try (TestRegion region = examples()) {
      commitAll(region, put("x", "9"));
      commitAll(region, put("y", "9"));
      for (String start : List.of("x", "z")) {
        ScanCut cut =
            region.store.cut(
                KeyRange.from(Key.utf8(start)), ScanOrder.FORWARD, 3, 1 << 20, ScanPlan.MERGE);
        assertThat(cut.position()).isEqualTo(at(region.lastIndex()));
      }
    }
  }

  /**
   * Example 5.5, the log {x = 9, delete y, z = 7}: a scan of two rows skips the deleted one. The
   * paper prints z = 0, which its own log contradicts.
   */
  @Test
  void exampleWithADeletionAndALaterPut() throws IOException {
    try (TestRegion region = examples()) {
      commitAll(region, put("x", "9"));
      commitAll(region, delete("y"));
      commitAll(region, put("z", "7"));
      Map<String, String> expected = Map.of("x", "9", "z", "7");
      assertThat(scan(region, "x", 2)).isEqualTo(expected);
      assertThat(region.get("y")).isEmpty();
      releaseWrites();
      region.awaitApplied(region.lastIndex());
      assertThat(scan(region, "x", 2)).isEqualTo(expected);
    }
  }

  /** Example 5.6, the log {x = 9, delete y}: an immediate read and one that waits agree. */
  @Test
  void exampleWithADeletionAtTheEnd() throws IOException {
    try (TestRegion region = examples()) {
      commitAll(region, put("x", "9"));
      commitAll(region, delete("y"));
      Map<String, String> expected = Map.of("x", "9", "z", "0");
      assertThat(scan(region, "x", 2)).isEqualTo(expected);
      releaseWrites();
      region.awaitApplied(region.lastIndex());
      assertThat(scan(region, "x", 2)).isEqualTo(expected);
    }
  }

  /** The log of example 5.5, read downwards: the changes and the rows merge in reverse order. */
  @Test
  void aReverseScanMergesPendingChanges() throws IOException {
    try (TestRegion region = examples()) {
      commitAll(region, put("x", "9"));
      commitAll(region, delete("y"));
      commitAll(region, put("zz", "7"));
      assertThat(reverse(region, 3)).containsExactly("zz=7", "z=0", "x=9");
      assertThat(reverse(region, 1)).containsExactly("zz=7");
      releaseWrites();
      region.awaitApplied(region.lastIndex());
      assertThat(reverse(region, 3)).containsExactly("zz=7", "z=0", "x=9");
    }
  }

  private static List<String> reverse(TestRegion region, int rows) {
    KeyRange range = KeyRange.from(Key.utf8("x"));
    return region
        .store
        .cut(range, ScanOrder.REVERSE, rows, 1 << 20, ScanPlan.MERGE)
        .page()
        .rows()
        .stream()
        .map(
            row ->
                new String(row.key().bytes(), StandardCharsets.UTF_8)
                    + "="
                    + TestRegion.text(row.value()))
        .toList();
  }

  /** Example 5.5 with a high cost of applying: an immediate read, which reads one row more. */
  @Test
  void countScanReadsPastADeletion() throws IOException {
    try (TestRegion region = examples(BY_COST)) {
      region.store.meter().applied(1, DAY_NANOS);
      region.store.meter().rowsRead(1, 1);
      commitAll(region, put("x", "9"));
      commitAll(region, delete("y"));
      commitAll(region, put("z", "7"));
      ScanPlan plan = region.store.planScan(KeyRange.from(Key.utf8("x")), ScanOrder.FORWARD, 2);
      assertThat(plan).isEqualTo(ScanPlan.immediate(3));
      assertThat(region.store.awaitScan(plan).toCompletableFuture()).isCompleted();
      assertThat(scan(region, "x", 2, plan)).isEqualTo(Map.of("x", "9", "z", "7"));
    }
  }

  /** Example 5.6 with a high cost of reading: a relaxed read, which waits for index 2 there. */
  @Test
  void countScanWaitsForADeletion() throws IOException {
    try (TestRegion region = examples(BY_COST)) {
      region.store.meter().rowsRead(1, DAY_NANOS);
      commitAll(region, put("x", "9"));
      commitAll(region, delete("y"));
      commitAll(region, put("other", "not waited for"));
      ScanPlan plan = region.store.planScan(KeyRange.from(Key.utf8("x")), ScanOrder.FORWARD, 2);
      assertThat(plan).isEqualTo(ScanPlan.relaxed(at(region.lastIndex() - 1), 2));
      CompletableFuture<Void> waiting = region.store.awaitScan(plan).toCompletableFuture();
      assertThat(waiting).isNotDone();
      releaseWrites();
      waiting.orTimeout(30, TimeUnit.SECONDS).join();
      assertThat(region.store.applied().covers(plan.after())).isTrue();
      assertThat(scan(region, "x", 2, plan)).isEqualTo(Map.of("x", "9", "z", "0"));
      assertThat(region.store.reads().relaxed()).isEqualTo(1);
    }
  }

  /** Waiting is the cheaper mode only while batches can be applied. */
  @Test
  void countScanDoesNotWaitIfNothingCanBeApplied() throws IOException {
    try (TestRegion region = TestRegion.open(directory, BY_COST)) {
      region.apply(put("x", "0"), put("y", "0"), put("z", "0"));
      region.awaitApplied(region.lastIndex());
      region.store.meter().rowsRead(1, DAY_NANOS);
      StoragePoints.BEFORE_WRITE.on(
          (point, group) -> {
            awaitRelease();
            throw new IOException("The disk is full.");
          });
      commitAll(region, delete("y"));
      ScanPlan plan = region.store.planScan(KeyRange.ALL, ScanOrder.FORWARD, 2);
      CompletableFuture<Void> waiting = region.store.awaitScan(plan).toCompletableFuture();
      assertThat(waiting).isNotDone();
      release.countDown();
      waiting.orTimeout(30, TimeUnit.SECONDS).join();
      assertThat(region.store.applied().covers(plan.after())).isFalse();
      Map<String, String> expected = Map.of("x", "0", "z", "0");
      assertThat(scan(region, "x", 2, plan)).isEqualTo(expected);
      assertThat(region.store.awaitScan(plan).toCompletableFuture()).isCompleted();
      StoragePoints.BEFORE_WRITE.off();
      region.awaitApplied(region.lastIndex());
      assertThat(scan(region, "x", 2, plan)).isEqualTo(expected);
    }
  }
}
