package io.quorate.torture.testbed.disk;

import io.quorate.torture.testbed.disk.Freezing.Rhythm;
import io.quorate.torture.testbed.process.Programs;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The disk of one node: an xfs file system in a file, mounted at the node's data directory.
 *
 * <p>Thread-safe; changes are made one after the other.
 */
public final class NodeDisk {
  /** Size of the file system. The file occupies only the space of what is written. */
  private static final long SIZE_BYTES = 3L << 30;

  /** Space that remains free on a full disk. */
  private static final long FREE_BYTES_MIN = 1 << 20;

  private static final Duration BUSY_TIMEOUT = Duration.ofSeconds(45);
  private static final long BUSY_PAUSE_MILLIS = 200;

  private final Path image;
  private final Path mount;
  private Optional<Freezing> freezing = Optional.empty();
  private int fillers;
  private boolean closed;

  /**
   * @param image the file that holds the contents of the disk; does not exist yet
   * @param mount the mount point; created if it does not exist
   */
  NodeDisk(Path image, Path mount) {
    this.image = image;
    this.mount = mount;
  }

  /** Creates the file system and mounts it. */
  synchronized void make() throws IOException {
    Files.createDirectories(mount);
    try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw")) {
      file.setLength(SIZE_BYTES);
    }
    Programs.run("mkfs.xfs", "-q", "-K", image.toString());
    mount();
  }

  private void mount() throws IOException {
    Programs.run("mount", "-t", "xfs", "-o", "loop,noatime", image.toString(), mount.toString());
  }

  /** Free space in bytes. */
  public long freeBytes() throws IOException {
    return Files.getFileStore(mount).getUsableSpace();
  }

  /**
   * Fills the disk at once until about {@code leaveBytes} are free.
   *
   * @return the file that occupies the space, which may be removed; it does not exist if the disk
   *     was already that full
   */
  public synchronized Path fill(long leaveBytes) throws IOException {
    requireOpen();
    fillers++;
    Path filler = mount.resolve("filler-" + fillers);
    long size = freeBytes() - Math.max(leaveBytes, FREE_BYTES_MIN);
    if (size > 0) {
      try {
        Programs.run("fallocate", "--length", Long.toString(size), filler.toString());
      } catch (IOException e) {
        // The node may have used the space first; the disk is full then.
        if (freeBytes() > 2 * Math.max(leaveBytes, FREE_BYTES_MIN)) {
          Files.deleteIfExists(filler);
          throw e;
        }
      }
    }
    return filler;
  }

  /** Whether writes are stalled now, continuously or periodically. */
  public synchronized boolean isStalling() {
    return freezing.map(Freezing::isActive).orElse(false);
  }

  /** Blocks every write and fsync for this time, or until {@link #thaw}. */
  public void stall(Duration time) throws IOException {
    freeze(new Rhythm(time, Duration.ZERO), time);
  }

  /**
   * Executes writes and fsyncs only between freezes, until {@link #thaw}.
   *
   * @param frozen how long the disk is frozen each time
   * @param thawed how long it is thawed in between
   * @param maxDuration after which the disk remains thawed
   */
  public void slowDown(Duration frozen, Duration thawed, Duration maxDuration) throws IOException {
    freeze(new Rhythm(frozen, thawed), maxDuration);
  }

  private synchronized void freeze(Rhythm rhythm, Duration maxDuration) throws IOException {
    requireOpen();
    if (isStalling()) {
      throw new IOException("The disk " + mount + " is already stalled");
    }
    freezing = Optional.of(Freezing.begin(mount, rhythm, maxDuration));
  }

  /** Ends a stall or slowdown; no effect if there is none. Blocks until the disk is thawed. */
  public synchronized void thaw() {
    freezing.ifPresent(Freezing::stop);
    freezing = Optional.empty();
  }

  /**
   * Cuts the power of the disk: from now on every operation fails, and data that was not synced is
   * lost. The processes that use the disk must be ended before {@link #restorePower}.
   */
  public synchronized void cutPower() throws IOException {
    requireOpen();
    thaw();
    Programs.run("xfs_io", "-x", "-c", "shutdown", mount.toString());
  }

  /** Mounts the file system again, with the data that survived the power loss. */
  public synchronized void restorePower() throws IOException {
    requireOpen();
    unmount();
    mount();
  }

  /** Unmounts the file system finally, in any state. Blocks while it is in use. */
  synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    thaw();
    try {
      unmount();
    } catch (IOException e) {
      // The kernel unmounts it when the last process that uses it has ended.
      Programs.run("umount", "--lazy", mount.toString());
    }
  }

  private void unmount() throws IOException {
    long end = System.nanoTime() + BUSY_TIMEOUT.toNanos();
    while (true) {
      try {
        Programs.run("umount", mount.toString());
        return;
      } catch (IOException e) {
        if (System.nanoTime() > end || !Mounts.isMounted(mount)) {
          throw e;
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(BUSY_PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("The disk " + mount + " is closed");
    }
  }
}
