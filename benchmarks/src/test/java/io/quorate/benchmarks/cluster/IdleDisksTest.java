package io.quorate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class IdleDisksTest {

  @Test
  void disksAreIdleWhenHardlyAnythingIsWrittenOrDeleted() {
    DiskUse use = new DiskUse(1 << 30, 1 << 30);
    DiskUse lineLater = new DiskUse((1 << 30) + 100, (1 << 30) + 4096);
    DiskUse truncated = new DiskUse((1 << 30) - (8 << 20), (1 << 30) + 4096);

    assertThat(IdleDisks.isIdle(List.of(use, use), List.of(use, lineLater))).isTrue();
    assertThat(IdleDisks.isIdle(List.of(use, use), List.of(truncated, use))).isFalse();
  }
}
