package io.quorate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class IdleDisksTest {

  @Test
  void disksAreIdleWhenHardlyAnythingIsWrittenOrDeleted() {
    DiskUse use = new DiskUse(List.of(1L << 30, 1L << 20), 1 << 30);
    DiskUse lineLater = new DiskUse(List.of((1L << 30) + 100, 1L << 20), (1 << 30) + 4096);
    DiskUse written = new DiskUse(List.of(1L << 30, 1L << 20), (1 << 30) + (8 << 20));
    DiskUse truncated = new DiskUse(List.of((1L << 30) - (8 << 20), 1L << 20), (1 << 30) + 4096);

    assertThat(IdleDisks.isIdle(use, lineLater)).isTrue();
    assertThat(IdleDisks.isIdle(use, written)).isFalse();
    assertThat(IdleDisks.isIdle(use, truncated)).isFalse();
  }
}
