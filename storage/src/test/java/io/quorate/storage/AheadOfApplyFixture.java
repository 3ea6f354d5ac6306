package io.quorate.storage;

import static io.quorate.storage.TestRegion.put;

import io.quorate.common.Failpoint;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.ClientCommand;
import io.quorate.protocol.operation.Operation;
import io.quorate.protocol.operation.Result;
import io.quorate.protocol.operation.ScanPage;
import io.quorate.storage.context.StoragePoints;
import io.quorate.storage.options.StorageOptions;
import io.quorate.storage.read.ScanPlan;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Regions whose applier is blocked while writes are committed. */
abstract class AheadOfApplyFixture {
  static final StorageOptions BOTH =
      TestRegion.OPTIONS.toBuilder().replyAtCommit(true).readAcceleration(true).build();

  @TempDir Path directory;

  final CountDownLatch release = new CountDownLatch(1);

  /** Blocks writes until they are released or the region is closed. */
  void blockWrites(TestRegion blocked) {
    blockWrites(blocked, StoragePoints.BEFORE_WRITE);
  }

  void blockWrites(TestRegion blocked, Failpoint failpoint) {
    blocked.beforeClose(this::releaseWrites);
    failpoint.on((point, region) -> awaitRelease());
  }

  void awaitRelease() {
    try {
      release.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @AfterEach
  void releaseWrites() {
    release.countDown();
    StoragePoints.BEFORE_WRITE.off();
    StoragePoints.AFTER_WRITE.off();
  }

  static Map<String, String> scan(TestRegion region, String start, int rows) {
    return scan(region, start, rows, ScanPlan.MERGE);
  }

  static Map<String, String> scan(TestRegion region, String start, int rows, ScanPlan plan) {
    Map<String, String> found = new LinkedHashMap<>();
    ScanPage page = region.store.scan(KeyRange.from(Key.utf8(start)), rows, 1 << 20, plan);
    for (ScanPage.Row row : page.rows()) {
      found.put(
          new String(row.key().bytes(), StandardCharsets.UTF_8), TestRegion.text(row.value()));
    }
    return found;
  }

  static CompletableFuture<Result> commit(TestRegion region, ClientCommand request) {
    return region.commit(List.of(request)).get(0);
  }

  static List<CompletableFuture<Result>> commitAll(TestRegion region, Operation... operations) {
    return region.commit(Arrays.stream(operations).map(TestRegion::untagged).toList());
  }

  /** The state of the paper's examples, {x: 0, y: 0, z: 0}, with the applier blocked. */
  TestRegion examples() throws IOException {
    return examples(BOTH);
  }

  TestRegion examples(StorageOptions options) throws IOException {
    TestRegion region = TestRegion.open(directory, options);
    region.apply(put("x", "0"), put("y", "0"), put("z", "0"));
    region.awaitApplied(region.lastIndex());
    blockWrites(region);
    return region;
  }
}
