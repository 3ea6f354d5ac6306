package io.quorate.client.testing;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EmbeddedClusterTest {
  @Test
  void theExceptionNamesTheMissingDependency() {
    assertThatThrownBy(() -> EmbeddedCluster.start(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("io.quorate:quorate-server with scope test");
  }
}
