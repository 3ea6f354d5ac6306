package io.quorate.server.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressLineTest {
  private long nanos;

  @Test
  void theLineOfATerminalIsReplacedAndErased() {
    ByteArrayOutputStream live = new ByteArrayOutputStream();
    try (ProgressLine line = new ProgressLine(new PrintStream(live), true, () -> nanos)) {
      line.show(() -> "half");
      line.show(() -> "too soon");
    }
    assertThat(live).hasToString("\rhalf\u001b[K\r\u001b[K");
  }

  @Test
  void withoutATerminalALineIsWrittenEveryTenSeconds() {
    ByteArrayOutputStream piped = new ByteArrayOutputStream();
    try (ProgressLine line = new ProgressLine(new PrintStream(piped), false, () -> nanos)) {
      line.show(() -> "at once");
      nanos = TimeUnit.SECONDS.toNanos(10);
      line.show(() -> "a third");
      line.show(() -> "too soon");
      line.erase();
      nanos = TimeUnit.SECONDS.toNanos(20);
      line.show(() -> "two thirds");
    }
    assertThat(piped).hasToString("a third\ntwo thirds\n");
  }

  @Test
  void theBarFillsFromLeftToRight() {
    assertThat(ProgressLine.bar(0, 10)).isEqualTo("[----------]   0%");
    assertThat(ProgressLine.bar(0.45, 10)).isEqualTo("[####------]  45%");
    assertThat(ProgressLine.bar(2, 10)).isEqualTo("[##########] 100%");
  }
}
