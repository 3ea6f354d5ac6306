package io.quorate.ratis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RatisPropertiesTest {
  @Test
  void manyGroupsAllocateLittleInAdvance() {
    assertThat(RatisProperties.preallocation(0)).isEqualTo(4 << 20);
    assertThat(IntStream.range(0, 1000).mapToLong(RatisProperties::preallocation).sum())
        .isLessThan(1L << 30);
    assertThat(RatisProperties.preallocation(100_000)).isEqualTo(64 << 10);
  }
}
