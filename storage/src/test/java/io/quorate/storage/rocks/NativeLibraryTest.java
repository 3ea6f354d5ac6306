package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.rocksdb.Options;

class NativeLibraryTest {
  /** Exits without shutdown hooks, like a killed process. */
  static final class Killed {
    public static void main(String[] arguments) {
      NativeLibrary.load();
      try (Options options = new Options()) {
        System.out.println("loaded " + options.isOwningHandle());
        System.out.flush();
        Runtime.getRuntime().halt(0);
      }
    }
  }

  @TempDir private Path temporary;

  @Test
  void aKilledProcessLeavesNoFileBehind() throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + temporary,
                "-cp",
                System.getProperty("java.class.path"),
                Killed.class.getName())
            .redirectErrorStream(true)
            .start();
    String output =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();

    assertThat(output).isEqualTo("loaded true");
    try (var files = Files.list(temporary)) {
      assertThat(files).isEmpty();
    }
  }
}
