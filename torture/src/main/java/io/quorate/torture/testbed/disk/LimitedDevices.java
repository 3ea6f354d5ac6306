package io.quorate.torture.testbed.disk;

import io.quorate.common.ShutdownHook;
import io.quorate.server.localcluster.FileTree;
import io.quorate.server.localcluster.Launch;
import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Devices of limited speed, so that each node of a cluster has one of its own: ext4 on a loop
 * device on a file in memory, whose requests the block layer of the kernel delays. Not thread-safe.
 *
 * <p>Requires Linux with control groups of version 1, loop devices, the programs of util-linux and
 * e2fsprogs, the rights to mount, and a process in the root control group of block I/O.
 */
public final class LimitedDevices implements NodeDevices {
  private static final Logger LOG = LoggerFactory.getLogger(LimitedDevices.class);
  private static final List<String> PROGRAMS = List.of("losetup", "mkfs.ext4", "mount", "umount");
  private static final Path THROTTLE = Path.of("/sys/fs/cgroup/blkio");
  private static final int TRIAL_BYTES = 16 << 20;
  private static final int CHUNK_BYTES = 1 << 20;

  private final Path directory;
  private final List<Device> devices = new ArrayList<>();
  private final ShutdownHook closeWithJvm = new ShutdownHook("devices-close", this::close);

  private static final class Device {
    private final Path image;
    private final Path mount;
    private String path = "";
    private boolean isMounted;

    Device(Path image, Path mount) {
      this.image = image;
      this.mount = mount;
    }
  }

  private LimitedDevices() throws IOException {
    this.directory = Files.createTempDirectory(MemoryDirectory.get(), "quorate-devices-");
  }

  /** The reason why this system cannot create them, as a clause; empty if it can. */
  public static Optional<String> obstacle() {
    for (String program : PROGRAMS) {
      if (!Programs.isInstalled(program)) {
        return Optional.of("they need the program " + program + ", which is not installed");
      }
    }
    try (LimitedDevices trial = create(1, TRIAL_BYTES)) {
      trial.limit(0, new Limit(1000, 1 << 20));
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          "they need Linux, control groups of version 1 and the right to mount ("
              + e.getMessage()
              + ")");
    }
  }

  /**
   * Creates devices without limits and file systems on them, which the caller closes after its
   * clusters.
   *
   * @param count number of devices, 1 or more
   * @param bytes size of each
   * @throws IOException if the system refuses it; nothing is left then
   */
  public static LimitedDevices create(int count, long bytes) throws IOException {
    LimitedDevices created = new LimitedDevices();
    created.closeWithJvm.register();
    try {
      for (int i = 0; i < count; i++) {
        created.add(i, bytes);
      }
      return created;
    } catch (IOException e) {
      created.close();
      throw e;
    }
  }

  private void add(int number, long bytes) throws IOException {
    Device device =
        new Device(directory.resolve(number + ".img"), directory.resolve("disk" + number));
    devices.add(device);
    Files.createDirectories(device.mount);
    touch(device.image, bytes);
    device.path =
        Programs.run("losetup", "--find", "--show", "--direct-io=on", device.image.toString());
    format(device);
  }

  /** Writes the whole file, because the first access to memory is slow on some machines. */
  private static void touch(Path image, long bytes) throws IOException {
    byte[] zeros = new byte[CHUNK_BYTES];
    try (OutputStream out = Files.newOutputStream(image)) {
      for (long written = 0; written < bytes; written += CHUNK_BYTES) {
        out.write(zeros);
      }
    }
  }

  private static void format(Device device) throws IOException {
    Programs.run(
        "mkfs.ext4",
        "-q",
        "-F",
        "-E",
        "lazy_itable_init=0,lazy_journal_init=0,nodiscard",
        device.path);
    Programs.run("mount", "-o", "noatime", device.path, device.mount.toString());
    device.isMounted = true;
    Files.delete(device.mount.resolve("lost+found"));
  }

  /** The root directory of a device. */
  Path root(int device) {
    return devices.get(device).mount;
  }

  @Override
  public void limit(int device, Limit limit) throws IOException {
    throttle(devices.get(device), limit.writesPerSecond(), limit.bytesPerSecond());
  }

  private static void throttle(Device device, int writesPerSecond, long bytesPerSecond)
      throws IOException {
    String numbers =
        Files.readString(
                Path.of("/sys/block", Path.of(device.path).getFileName().toString(), "dev"))
            .strip();
    Files.writeString(
        THROTTLE.resolve("blkio.throttle.write_iops_device"), numbers + " " + writesPerSecond);
    Files.writeString(
        THROTTLE.resolve("blkio.throttle.write_bps_device"), numbers + " " + bytesPerSecond);
  }

  @Override
  public Launch launch(int device) {
    return Launch.with(Map.of("node.data", root(device).resolve("data").toString()));
  }

  @Override
  public void clear() throws IOException {
    for (Device device : devices) {
      release(device);
      format(device);
    }
  }

  private static void release(Device device) throws IOException {
    throttle(device, 0, 0);
    if (device.isMounted) {
      Programs.run("umount", device.mount.toString());
      device.isMounted = false;
    }
  }

  @Override
  public void close() {
    for (Device device : devices) {
      if (!device.path.isEmpty()) {
        try {
          release(device);
          Programs.run("losetup", "--detach", device.path);
        } catch (IOException e) {
          LOG.warn("A device of a measurement is left behind device={}", device.path, e);
        }
      }
    }
    try {
      FileTree.delete(directory);
    } catch (IOException e) {
      LOG.warn("The directory of devices is left behind directory={}", directory, e);
    }
    closeWithJvm.close();
  }
}
