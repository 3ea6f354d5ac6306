package io.quorate.storage.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.quorate.storage.JavaProgram;
import java.io.IOException;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class BodyIndexHeapTest {
  private static final String HEAP = "-Xmx64m";

  @Test
  void aMillionBodiesFitIntoTheHeapAndTakeWhatTheGaugeShows()
      throws IOException, InterruptedException {
    String output = JavaProgram.run(List.of(HEAP, "-XX:+UseSerialGC"), FullBodyIndex.class);
    List<String> lines = output.lines().toList();
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
