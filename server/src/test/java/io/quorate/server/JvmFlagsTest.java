package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JvmFlagsTest {
  @Test
  void aProcessEndsWithoutMemoryWhereItWasToldTo() {
    assertThat(JvmFlags.endWithoutMemory(List.of("-Xmx1g", "-XX:+ExitOnOutOfMemoryError")))
        .isTrue();
    assertThat(JvmFlags.endWithoutMemory(List.of("-XX:+CrashOnOutOfMemoryError"))).isTrue();
    assertThat(JvmFlags.endWithoutMemory(List.of("-Xmx1g", "-XX:-ExitOnOutOfMemoryError")))
        .isFalse();
    assertThat(JvmFlags.endWithoutMemory(List.of())).isFalse();
  }
}
