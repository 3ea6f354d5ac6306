package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class BodyIndexHeapTest {
  private static final String HEAP = "-Xmx64m";

  @Test
  void aMillionBodiesFitIntoTheHeapAndTakeWhatTheGaugeShows()
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                FullBodyIndex.class.getName())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    List<String> lines = output.strip().lines().toList();
    assertThat(lines).as(output).hasSize(2);
    for (String line : lines) {
      String[] bytes = line.split(" ");
      assertThat(Long.parseLong(bytes[1]))
          .as(output)
          .isCloseTo(Long.parseLong(bytes[0]), Percentage.withPercentage(10));
    }
    assertThat(Long.parseLong(lines.get(0).split(" ")[0]) / FullBodyIndex.BODIES)
        .as("bytes for each body")
        .isCloseTo(34L, within(2L));
  }
}
