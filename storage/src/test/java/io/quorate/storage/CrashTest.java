package io.quorate.storage;

import static io.quorate.storage.TestRegion.by;
import static io.quorate.storage.TestRegion.incrementAndGet;
import static io.quorate.storage.TestRegion.number;
import static io.quorate.storage.TestRegion.put;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.Position;
import io.quorate.protocol.operation.ClientId;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashTest {
  private static final ClientId ANN = new ClientId(1, 1);
  private static final int COMMANDS = 3_000;
  private static final int CRASHES = 5;
  private static final String PADDING = "x".repeat(500);

  @TempDir Path directory;

  /**
   * RocksDB flushes at any time, and flushes rows far more often than the position and sessions.
   */
  @Test
  void automaticFlushesKeepRowsPositionAndSessionsOfOneCut() throws IOException {
    StorageOptions small = TestRegion.OPTIONS.toBuilder().writeBufferBytes(64 << 10).build();
    Path home = directory.resolve("home");
    try (TestRegion region = TestRegion.open(home, small)) {
      for (int crash = 1; crash <= CRASHES; crash++) {
        int end = COMMANDS * crash / CRASHES;
        for (int i = COMMANDS * (crash - 1) / CRASHES; i < end; i++) {
          region.commitAt(
              i,
              List.of(
                  by(ANN, i + 1, i, incrementAndGet("n", 1)),
                  TestRegion.untagged(
                      new Operation.Batch(List.of(put("last", i + ""), put("key" + i, PADDING))))));
        }
        region.awaitApplied(end - 1);
        CrashCopy.take(region.storage, home, directory.resolve("crash-" + crash));
      }
      assertThat(region.store.durable()).isEqualTo(Position.NONE);
    }
    long before = -1;
    for (int crash = 1; crash <= CRASHES; crash++) {
      before = assertOneCut(directory.resolve("crash-" + crash), before);
    }
    assertThat(before).as("the last position that automatic flushes made durable").isPositive();
  }

  private static long assertOneCut(Path crashed, long atLeast) throws IOException {
    try (TestRegion region = TestRegion.open(crashed)) {
      long position = region.opened.index();
      assertThat(position).isGreaterThanOrEqualTo(atLeast);
      if (position >= 0) {
        assertThat(region.get("n")).contains(Long.toString(position + 1));
        assertThat(region.get("last")).contains(Long.toString(position));
        assertThat(region.rows()).hasSize((int) position + 3);
        assertThat(region.apply(by(ANN, position + 1, position, put("n", "wrong"))))
            .isEqualTo(number(position + 1));
      }
      return position;
    }
  }
}
