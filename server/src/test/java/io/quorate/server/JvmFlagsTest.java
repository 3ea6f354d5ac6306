package io.quorate.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class JvmFlagsTest {
  @Test
  void missingFlagsAreNamed() {
    assertThat(JvmFlags.missing(List.of()))
        .containsExactly("-XX:+ExitOnOutOfMemoryError", "-XX:MaxDirectMemorySize", "-Xmx");
    assertThat(
            JvmFlags.missing(
                List.of("-XX:MaxRAMPercentage=50", "-XX:-ExitOnOutOfMemoryError", "-Xms1g")))
        .containsExactly("-XX:+ExitOnOutOfMemoryError", "-XX:MaxDirectMemorySize");
    assertThat(
            JvmFlags.missing(
                List.of("-Xmx1g", "-XX:+CrashOnOutOfMemoryError", "-XX:MaxDirectMemorySize=256m")))
        .isEmpty();
  }

  @Test
  void theFlagsOfTheLauncherAndTheImageAreComplete() throws IOException {
    try (var file = JvmFlags.class.getResourceAsStream("server.jvm")) {
      List<String> flags = new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
      assertThat(JvmFlags.missing(flags)).isEmpty();
    }
  }
}
