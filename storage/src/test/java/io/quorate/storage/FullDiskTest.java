package io.quorate.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.quorate.storage.body.FullDiskBodies;
import io.quorate.storage.options.StorageOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A real file system that becomes full. Requires a system on which a process may mount one for
 * itself (Linux with user namespaces, or its administrator); elsewhere it is skipped.
 */
class FullDiskTest {
  private static final String MOUNT = "mount -t tmpfs -o size=40m tmpfs \"$0\" && exec \"$@\"";

  @TempDir Path directory;

  private Process startWithSmallDisk(Path disk, Path output, List<String> command)
      throws IOException {
    Files.createDirectories(disk);
    List<String> whole =
        new ArrayList<>(
            List.of("unshare", "--map-root-user", "--mount", "sh", "-c", MOUNT, disk.toString()));
    whole.addAll(command);
    ProcessBuilder process =
        new ProcessBuilder(whole).redirectErrorStream(true).redirectOutput(output.toFile());
    process.environment().put("LC_ALL", "C");
    return process.start();
  }

  private boolean canMount() throws InterruptedException {
    try {
      Path trial = directory.resolve("trial");
      return startWithSmallDisk(trial, directory.resolve("output"), List.of("true")).waitFor() == 0;
    } catch (IOException e) {
      // The program does not exist on this machine.
      return false;
    }
  }

  /**
   * With each kind of write-ahead log of RocksDB, and the store of bodies. Most of the time all but
   * the last wait for RocksDB to check the disk again.
   */
  @Test
  void storageRecoversWhenThereIsSpaceAgain() throws Exception {
    assumeTrue(canMount(), "A process may not mount a file system here.");
    Map<Path, Process> processes = new HashMap<>();
    try {
      for (StorageOptions.Wal wal : StorageOptions.Wal.values()) {
        Path output = directory.resolve("output-wal-" + wal);
        Path disk = directory.resolve("disk-wal-" + wal);
        processes.put(output, start(FullDisk.class, disk, output, wal.name()));
      }
      Path output = directory.resolve("output-bodies");
      Path disk = directory.resolve("disk-bodies");
      processes.put(output, start(FullDiskBodies.class, disk, output));
      for (Map.Entry<Path, Process> each : processes.entrySet()) {
        Process process = each.getValue();
        assertThat(process.waitFor(150, TimeUnit.SECONDS))
            .as(() -> outputOf(each.getKey()))
            .isTrue();
        assertThat(process.exitValue()).as(() -> outputOf(each.getKey())).isZero();
      }
    } finally {
      for (Process process : processes.values()) {
        process.destroyForcibly().waitFor();
      }
    }
  }

  private Process start(Class<?> program, Path disk, Path output, String... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName(),
                disk.toString()));
    command.addAll(List.of(arguments));
    return startWithSmallDisk(disk, output, command);
  }

  private static String outputOf(Path output) {
    try {
      return output.getFileName() + ": " + Files.readString(output, StandardCharsets.UTF_8);
    } catch (IOException e) {
      return "no output: " + e;
    }
  }
}
