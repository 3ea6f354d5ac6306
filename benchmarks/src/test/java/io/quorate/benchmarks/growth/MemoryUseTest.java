package io.quorate.benchmarks.growth;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MemoryUseTest {
  private static final MemoryUse ONE_REGION = new MemoryUse(3, 1, 0, 1000, 1000);

  @Test
  void furtherRegionsShareTheGrowth() {
    MemoryUse many = new MemoryUse(3, 11, 0, 1500, 1500);

    assertThat(many.bytesPerRegion(ONE_REGION)).hasValue(50);
    assertThat(ONE_REGION.bytesPerRegion(ONE_REGION)).isEmpty();
  }

  @Test
  void theConnectionsOfANodeShareItsGrowth() {
    // 20 on each node.
    MemoryUse many = new MemoryUse(3, 1, 60, 1000, 1400);

    assertThat(many.bytesPerConnection()).hasValue(20);
    assertThat(ONE_REGION.bytesPerConnection()).isEmpty();
  }
}
