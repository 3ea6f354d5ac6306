package io.quorate.server.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DescriptorsTest {
  @Test
  void connectionsLeaveDescriptorsForFiles() {
    assertThat(Descriptors.problem(10_000, 65_536)).isEmpty();
    assertThat(Descriptors.problem(10_000, 11_024)).isEmpty();
    assertThat(Descriptors.problem(10_000, 11_023).orElseThrow())
        .contains("11023")
        .contains("rpc.connections");
    assertThat(Descriptors.problem(1, 64)).isPresent();
    assertThat(Descriptors.problem(Integer.MAX_VALUE)).as("of this process").isPresent();
  }
}
