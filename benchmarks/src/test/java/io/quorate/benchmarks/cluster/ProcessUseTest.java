package io.quorate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessUseTest {
  private static final List<String> STATUS =
      List.of("Name:\tjava", "VmHWM:\t  500000 kB", "VmRSS:\t  300000 kB", "Threads:\t80");
  private static final String STAT =
      "4711 (a ) name) S 1 2 3 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 80 0 12345 2000 75000";

  @Test
  void parsesStatusAndStatOfLinux() throws IOException {
    assertThat(ProcessUse.parse(STATUS, STAT))
        .isEqualTo(new ProcessUse(300_000L << 10, Duration.ofSeconds(3)));
  }

  @Test
  void aProcessWithoutMemoryIsRefused() {
    assertThatThrownBy(() -> ProcessUse.parse(List.of("Name:\tjava"), STAT))
        .isInstanceOf(IOException.class);
  }

  @Test
  void readsThisProcess() throws IOException {
    assumeTrue(ProcessUse.isSupported(), "no /proc on this system");

    assertThat(ProcessUse.of(ProcessHandle.current().pid()).residentBytes()).isPositive();
  }
}
