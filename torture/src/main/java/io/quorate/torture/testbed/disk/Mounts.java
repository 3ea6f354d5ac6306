package io.quorate.torture.testbed.disk;

import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The mounts of this machine: finds the disks of the harness, and unmounts those that no harness
 * uses any more.
 */
final class Mounts {
  /** The name of every disk's image file, which distinguishes it from other mounted files. */
  static final String IMAGE_NAME = "quorate-node-disk.xfs";

  /** The file beside the image that the process which uses the disk has locked. */
  static final String LOCK_NAME = "quorate-node-disk.lock";

  private static final String DELETED = " (deleted)";

  private Mounts() {}

  static boolean isMounted(Path mount) throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mounts"))) {
      return lines.anyMatch(line -> mountPoint(line).equals(mount.toString()));
    }
  }

  /**
   * Locks the directory of a disk for this process, until the channel is closed or the process ends
   * for any reason.
   */
  static FileChannel lock(Path directory) throws IOException {
    Files.createDirectories(directory);
    FileChannel channel =
        FileChannel.open(
            directory.resolve(LOCK_NAME), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    if (!tryLock(channel)) {
      channel.close();
      throw new IOException("The disk in " + directory + " is in use by another process");
    }
    return channel;
  }

  /**
   * Unmounts the disks that a killed process left mounted. A disk is thawed, so that nodes which
   * still use it can end, and the kernel unmounts it after the last of them.
   */
  static void sweep() throws IOException {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/mounts"))) {
      for (String line : lines.filter(line -> line.startsWith("/dev/loop")).toList()) {
        Optional<Path> image = image(line.substring(0, line.indexOf(' ')));
        if (image.isPresent() && isAbandoned(image.get())) {
          remove(Path.of(mountPoint(line)));
        }
      }
    }
  }

  private static void remove(Path mount) throws IOException {
    try {
      Freezing.thaw(mount);
    } catch (IOException e) {
      // It was not frozen, which is the usual case.
      Programs.run("umount", "--lazy", mount.toString());
      return;
    }
    Programs.run("umount", "--lazy", mount.toString());
  }

  private static boolean isAbandoned(Path image) throws IOException {
    Path lock = image.resolveSibling(LOCK_NAME);
    if (!Files.exists(lock)) {
      return true;
    }
    try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
      return tryLock(channel);
    }
  }

  private static boolean tryLock(FileChannel channel) throws IOException {
    try {
      FileLock lock = channel.tryLock();
      return lock != null;
    } catch (OverlappingFileLockException e) {
      // This process holds the lock.
      return false;
    }
  }

  /** The image file of a loop device; empty if the device is not a disk of the harness. */
  private static Optional<Path> image(String device) throws IOException {
    Path file = Path.of("/sys/block", device.substring("/dev/".length()), "loop", "backing_file");
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    String name = Files.readString(file).strip();
    if (name.endsWith(DELETED)) {
      name = name.substring(0, name.length() - DELETED.length());
    }
    return Optional.of(Path.of(name)).filter(path -> path.endsWith(IMAGE_NAME));
  }

  private static String mountPoint(String line) {
    return line.split(" ")[1].replace("\\040", " ");
  }
}
