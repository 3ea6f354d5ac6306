package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real file system that is really full. Needs a system on which a process may mount one for
 * itself (Linux with user namespaces, or its administrator); elsewhere it is skipped.
 */
class FullDiskTest {
  private static final String MOUNT = "mount -t tmpfs -o size=40m tmpfs \"$0\" && exec \"$@\"";
  private static final int BALLAST_BYTES = 25 << 20;

  @TempDir Path directory;

  private Process startWithSmallDisk(Path disk, List<String> command) throws IOException {
    Files.createDirectories(disk);
    List<String> whole =
        new ArrayList<>(
            List.of("unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT, disk.toString()));
    whole.addAll(command);
    return new ProcessBuilder(whole)
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("output").toFile())
        .start();
  }

  private boolean canMount() throws InterruptedException {
    try {
      return startWithSmallDisk(directory.resolve("trial"), List.of("true")).waitFor() == 0;
    } catch (IOException e) {
      // No such program here.
      return false;
    }
  }

  @ParameterizedTest(name = "own log: {0}")
  @ValueSource(booleans = {false, true})
  void everythingGoesOnWhenThereIsSpaceAgain(boolean wal) throws Exception {
    assumeTrue(canMount(), "A process may not mount a file system here.");
    Path disk = directory.resolve("disk");
    Process process =
        startWithSmallDisk(
            disk,
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                FullDisk.class.getName(),
                disk.toString(),
                Integer.toString(BALLAST_BYTES),
                Boolean.toString(wal)));
    try {
      assertThat(process.waitFor(150, TimeUnit.SECONDS)).as(this::output).isTrue();
      assertThat(process.exitValue()).as(this::output).isZero();
    } finally {
      process.destroyForcibly().waitFor();
    }
  }

  private String output() {
    try {
      return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "no output: " + e;
    }
  }
}
