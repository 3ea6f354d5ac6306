package io.quorate.server.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceProbeTest {
  private static final Duration TIME = Duration.ofMillis(300);
  private static final Path MEMORY = Path.of("/dev/shm");

  @TempDir private Path directory;

  @Test
  void measuresReportsItsProgressAndLeavesNothing() throws IOException {
    // As of a killed process.
    Files.writeString(directory.resolve(DeviceProbe.FILE), "left");
    List<Double> progress = new ArrayList<>();
    List<Long> sizes = new ArrayList<>();

    DeviceSpeed speed =
        DeviceProbe.measure(
            directory,
            TIME,
            part -> {
              progress.add(part);
              sizes.add(directory.resolve(DeviceProbe.FILE).toFile().length());
            });

    // No device takes a minute for a block, nor writes a terabyte a second.
    assertThat(speed.bytesPerSecond()).isBetween(1L << 17, 1L << 40);
    assertThat(speed.syncsPerSecond()).isPositive();
    assertThat(progress).isSorted().allMatch(part -> part > 0 && part <= 1);
    assertThat(progress).last().isEqualTo(1.0);
    assertThat(sizes).allMatch(bytes -> bytes > 0 && bytes <= 64 << 20);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void measuresAFileSystemWithoutDirectIo() throws IOException {
    assumeThat(MEMORY).isDirectory();
    Path memory = Files.createTempDirectory(MEMORY, "device-probe");
    try {
      DeviceSpeed speed = DeviceProbe.measure(memory, TIME, part -> {});
      assertThat(speed.bytesPerSecond()).isGreaterThan(1L << 17);
      assertThat(memory).isEmptyDirectory();
    } finally {
      Files.delete(memory);
    }
  }

  @Test
  void aDirectoryThatCannotBeMeasuredIsNamed() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThatThrownBy(() -> DeviceProbe.measure(directory.resolve("none"), TIME, part -> {}))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> DeviceProbe.measure(file, TIME, part -> {}))
        .isInstanceOf(NotDirectoryException.class);
  }
}
