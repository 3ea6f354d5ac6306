package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.storage.session.SessionTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionsHeapTest {
  /** Half of that of a node by default. */
  private static final String HEAP = "-Xmx256m";

  @TempDir private Path directory;

  @Test
  void sessionsAtTheirBoundsFitIntoTheHeapThroughTwoSplitsAndARestart()
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                HEAP,
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty("java.class.path"),
                FullSessions.class.getName(),
                directory.resolve("storage").toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(output).isZero();
    assertThat(output.strip())
        .endsWith(Integer.toString(SessionTable.CLIENTS_MAX + 2 * SessionTable.CLIENTS_MAX / 8));
  }
}
