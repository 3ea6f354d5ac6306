package io.quorate.storage.rocks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.rocksdb.Options;

class NativeLibraryTest {
  /** Exits without shutdown hooks, like a killed process. */
  static final class Killed {
    public static void main(String[] arguments) throws IOException {
      try {
        NativeLibrary.load();
      } catch (NativeLibraryException e) {
        System.out.println(e.getMessage());
        return;
      }
      try (Options options = new Options()) {
        System.out.println("loaded " + options.isOwningHandle());
        System.out.flush();
        Runtime.getRuntime().halt(0);
      }
    }
  }

  @TempDir private Path temporary;

  /** Runs the program in a shell, and returns its output. */
  private static String run(Path temporary, String shell, String... command) throws IOException {
    List<String> line = new ArrayList<>(List.of(command));
    line.addAll(
        List.of(
            "/bin/sh",
            "-c",
            shell + "exec \"$@\"",
            "sh",
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:-UsePerfData",
            "-Djava.io.tmpdir=" + temporary,
            "-cp",
            System.getProperty("java.class.path"),
            Killed.class.getName()));
    Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
  }

  private void assertNamesTheDirectory(String output, String reason) {
    assertThat(output)
        .startsWith("RocksDB's library cannot be loaded from the directory for temporary files, /")
        .contains(temporary.toString(), reason, "-Djava.io.tmpdir=DIRECTORY")
        .hasLineCount(1);
  }

  @Test
  void aDirectoryThatIsMissingOrNoneIsNamed() throws IOException {
    Path file = Files.createFile(temporary.resolve("file"));
    assertNamesTheDirectory(run(file, ""), "directory");
    assertNamesTheDirectory(run(temporary.resolve("missing"), ""), "no such file or directory");
  }

  /** The options of a file system, and the reason why the library cannot be loaded from it. */
  @ParameterizedTest
  @CsvSource({
    "noexec, failed to map segment from shared object",
    "ro, Read-only file system",
    "size=8m, No space left on device",
  })
  void aFileSystemThatDoesNotAllowItIsNamed(String options, String reason) throws IOException {
    String[] ofItsOwn = {"unshare", "--map-root-user", "--mount"};
    String mount = "mount -t tmpfs -o " + options + " none " + temporary + " || exit; ";
    assumeTrue(canMount(ofItsOwn), "a process may mount file systems for itself");
    assertNamesTheDirectory(run(temporary, mount, ofItsOwn), reason);
  }

  private boolean canMount(String[] ofItsOwn) {
    List<String> command = new ArrayList<>(List.of(ofItsOwn));
    command.addAll(List.of("mount", "-t", "tmpfs", "none", temporary.toString()));
    try {
      return new ProcessBuilder(command).start().waitFor() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aKilledProcessLeavesNoFileBehind() throws IOException {
    assertThat(run(temporary, "")).isEqualTo("loaded true");
    try (var files = Files.list(temporary)) {
      assertThat(files).isEmpty();
    }
  }
}
