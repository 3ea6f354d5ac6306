package io.quorate.benchmarks.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceWritesTest {
  private static final int WRITTEN = 1 << 20;

  @Test
  void devicesAreNamedByTheirMajorAndMinorNumbers() {
    assertThat(DeviceWrites.name(0xfe00)).isEqualTo("254:0");
    assertThat(DeviceWrites.name(0x1234567)).isEqualTo("837:4711");
  }

  @Test
  void sectorsWrittenHave512Bytes() {
    String counters =
        "  464317    36729 22116882   443287 38980928  2039791 1395143728  6816208 0 0 0 0 0 0 0 0 0\n";

    assertThat(DeviceWrites.writtenBytes(counters)).isEqualTo(1_395_143_728L * 512);
  }

  @Test
  void whatIsSyncedIsWrittenToTheDeviceOfTheDirectory(@TempDir Path directory) throws IOException {
    List<Path> directories = List.of(directory);
    long before = DeviceWrites.of(directories);
    assumeTrue(before > 0, "no block device");

    try (FileChannel file =
        FileChannel.open(
            directory.resolve("file"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.allocate(WRITTEN));
      file.force(true);
    }

    assertThat(DeviceWrites.of(directories) - before).isGreaterThanOrEqualTo(WRITTEN);
  }

  @Test
  void aDeviceOfTwoDirectoriesCountsOnce(@TempDir Path directory) throws IOException {
    Path one = Files.createDirectory(directory.resolve("one"));
    Path two = Files.createDirectory(directory.resolve("two"));
    long before = DeviceWrites.of(List.of(one));

    long both = DeviceWrites.of(List.of(one, two));

    // Others may write meanwhile, but not as much as the device has written since it started.
    assumeTrue(before > WRITTEN, "no block device");
    assertThat(both).isBetween(before, 2 * before - 1);
  }

  @Test
  void aDirectoryInMemoryIsOnNoDevice() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeTrue(Files.isDirectory(memory) && Files.getFileStore(memory).type().equals("tmpfs"));

    assertThat(DeviceWrites.of(List.of(memory))).isZero();
  }
}
