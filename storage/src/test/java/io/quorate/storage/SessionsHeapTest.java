package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.storage.session.SessionTable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionsHeapTest {
  /** Half of that of a node by default. */
  private static final String HEAP = "-Xmx256m";

  @TempDir private Path directory;

  @Test
  void sessionsAtTheirBoundsFitIntoTheHeapThroughTwoSplitsAndARestart()
      throws IOException, InterruptedException {
    String output =
        JavaProgram.run(List.of(HEAP), FullSessions.class, directory.resolve("storage").toString());
    assertThat(output)
        .endsWith(Integer.toString(SessionTable.CLIENTS_MAX + 2 * SessionTable.CLIENTS_MAX / 8));
  }
}
