package io.quorate.benchmarks.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * Counts the bytes that block devices have written, as Linux reports them under {@code
 * /sys/dev/block}. All programs that use a device count, and so does the file system's journal. The
 * counters of a process ({@code /proc/PID/io}) are no substitute: they count what becomes dirty in
 * the page cache, in units of up to megabytes.
 */
final class DeviceWrites {
  private static final Path DEVICES = Path.of("/sys/dev/block");
  private static final int FIELD_SECTORS_WRITTEN = 7;

  /** The unit of the counters, whatever the sectors of the device are. */
  private static final long SECTOR_BYTES = 512;

  private static final int MINOR_LOW_BITS = 8;
  private static final int MINOR_LOW_MASK = 0xff;
  private static final int MAJOR_MASK = 0xfff;
  private static final int MINOR_HIGH_SHIFT = 12;

  private DeviceWrites() {}

  /**
   * The bytes written since the start of the system to the devices of these directories, each
   * device once. A directory without such a device, as in memory, adds nothing. Blocks.
   *
   * @throws IOException if a directory does not exist
   */
  static long of(Collection<Path> directories) throws IOException {
    Set<Path> counters = new HashSet<>();
    for (Path directory : directories) {
      long device = ((Number) Files.getAttribute(directory, "unix:dev")).longValue();
      counters.add(DEVICES.resolve(name(device)).resolve("stat"));
    }
    long bytes = 0;
    for (Path counter : counters) {
      bytes += Files.isReadable(counter) ? writtenBytes(Files.readString(counter)) : 0;
    }
    return bytes;
  }

  /**
   * The device's name under {@code /sys/dev/block}.
   *
   * @param device the number of the device as in {@code stat(2)}, which has the bits of the minor
   *     number on both sides of those of the major one
   */
  static String name(long device) {
    long major = device >>> MINOR_LOW_BITS & MAJOR_MASK;
    long minor = device & MINOR_LOW_MASK | device >>> MINOR_HIGH_SHIFT & ~MINOR_LOW_MASK;
    return major + ":" + minor;
  }

  /**
   * @param counters content of {@code /sys/dev/block/NAME/stat}
   */
  static long writtenBytes(String counters) {
    String[] fields = counters.strip().split("\\s+");
    return Long.parseLong(fields[FIELD_SECTORS_WRITTEN - 1]) * SECTOR_BYTES;
  }
}
