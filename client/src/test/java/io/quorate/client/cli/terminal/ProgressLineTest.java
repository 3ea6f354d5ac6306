package io.quorate.client.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  @Test
  void theProgressLineIsWrittenOnlyToATerminalAndErased() {
    ByteArrayOutputStream live = new ByteArrayOutputStream();
    try (ProgressLine line = new ProgressLine(new PrintStream(live), true)) {
      line.show(() -> "half");
      line.show(() -> "too soon");
    }
    assertThat(live).hasToString("\rhalf\u001b[K\r\u001b[K");
    ByteArrayOutputStream piped = new ByteArrayOutputStream();
    try (ProgressLine line = new ProgressLine(new PrintStream(piped), false)) {
      line.show(() -> "half");
    }
    assertThat(piped.size()).isZero();
  }

  @Test
  void theBarFillsFromLeftToRight() {
    assertThat(ProgressLine.bar(0, 10)).isEqualTo("[----------]   0%");
    assertThat(ProgressLine.bar(0.45, 10)).isEqualTo("[####------]  45%");
    assertThat(ProgressLine.bar(2, 10)).isEqualTo("[##########] 100%");
  }
}
