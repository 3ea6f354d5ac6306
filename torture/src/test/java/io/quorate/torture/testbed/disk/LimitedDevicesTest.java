package io.quorate.torture.testbed.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.quorate.torture.testbed.disk.NodeDevices.Limit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class LimitedDevicesTest {
  private static final Path WRITES =
      Path.of("/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device");
  private static final long BYTES = 32 << 20;

  @Test
  void aDeviceHasItsLimitAndFilesUntilItIsCleared() throws IOException {
    assumeThat(LimitedDevices.obstacle()).isEmpty();
    try (LimitedDevices devices = LimitedDevices.create(2, BYTES)) {
      assertThat(Files.getFileStore(devices.root(0)))
          .isNotEqualTo(Files.getFileStore(devices.root(1)));
      Path file = Files.writeString(devices.root(0).resolve("file"), "content");

      devices.limit(1, new Limit(4321, 12_345_678));

      assertThat(WRITES).content().contains(" 4321");

      devices.clear();

      assertThat(WRITES).content().doesNotContain(" 4321");
      assertThat(file).doesNotExist();
      assertThat(devices.root(0)).isEmptyDirectory();
    }
  }

  @Test
  void nothingIsLeftAfterTheClose() throws IOException {
    assumeThat(LimitedDevices.obstacle()).isEmpty();
    Path root;
    try (LimitedDevices devices = LimitedDevices.create(1, BYTES)) {
      root = devices.root(0);
      assertThat(Files.readString(Path.of("/proc/self/mounts"))).contains(root.toString());
    }

    assertThat(Files.readString(Path.of("/proc/self/mounts"))).doesNotContain(root.toString());
    assertThat(root).doesNotExist();
  }
}
