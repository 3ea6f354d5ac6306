package io.quorate.server.verification.disk;

import io.quorate.server.verification.disk.Freezing.Rhythm;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A disk of one node's own: an xfs file system in a file, mounted at the node's data directory.
 *
 * <p>Safe for use by many threads; one change at a time.
 */
public final class NodeDisk {
  /** Takes no more room than what is written to it. */
  private static final long SIZE_BYTES = 3L << 30;

  private static final long ALMOST_NOTHING_BYTES = 1 << 20;
  private static final Duration BUSY_PATIENCE = Duration.ofSeconds(45);
  private static final long BUSY_PAUSE_MILLIS = 200;

  private final Path image;
  private final Path mount;
  private Optional<Freezing> freezing = Optional.empty();
  private int fillers;
  private boolean closed;

  /**
   * @param image the file that holds the disk's contents; does not exist yet
   * @param mount where the file system is to be found; made if it is not there
   */
  NodeDisk(Path image, Path mount) {
    this.image = image;
    this.mount = mount;
  }

  /** Makes the file system and mounts it. */
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
   * Fills the disk at once until about so much is free.
   *
   * @return the file that takes the room, which may be removed; there is none if it was so full
   */
  public synchronized Path fill(long leaveBytes) throws IOException {
    requireOpen();
    fillers++;
    Path filler = mount.resolve("filler-" + fillers);
    long size = freeBytes() - Math.max(leaveBytes, ALMOST_NOTHING_BYTES);
    if (size > 0) {
      try {
        Programs.run("fallocate", "--length", Long.toString(size), filler.toString());
      } catch (IOException e) {
        // The node may have been faster, and the disk is as full as can be.
        if (freeBytes() > 2 * Math.max(leaveBytes, ALMOST_NOTHING_BYTES)) {
          Files.deleteIfExists(filler);
          throw e;
        }
      }
    }
    return filler;
  }

  /** Whether writes stall now, or do now and then. */
  public synchronized boolean isStalling() {
    return freezing.map(Freezing::lasts).orElse(false);
  }

  /** Lets every write and fsync wait for so long, or until {@link #thaw}. */
  public void stall(Duration time) throws IOException {
    freeze(new Rhythm(time, Duration.ZERO), time);
  }

  /** Lets writes and fsyncs through for a moment only now and then, until {@link #thaw}. */
  public void slowDown(Duration frozen, Duration thawed, Duration atMost) throws IOException {
    freeze(new Rhythm(frozen, thawed), atMost);
  }

  private synchronized void freeze(Rhythm rhythm, Duration atMost) throws IOException {
    requireOpen();
    if (isStalling()) {
      throw new IOException("The disk " + mount + " stalls already");
    }
    freezing = Optional.of(Freezing.begin(mount, rhythm, atMost));
  }

  /** Lets everything through again; nothing if it does. Blocks for a moment. */
  public synchronized void thaw() {
    freezing.ifPresent(Freezing::stop);
    freezing = Optional.empty();
  }

  /**
   * Takes the power from the disk: from now on it answers nothing but errors, and what was not
   * synced is lost. The processes that use it have to be ended before {@link #restorePower}.
   */
  public synchronized void cutPower() throws IOException {
    requireOpen();
    thaw();
    Programs.run("xfs_io", "-x", "-c", "shutdown", mount.toString());
  }

  /** Mounts the file system again, with what a power cut left of it. */
  public synchronized void restorePower() throws IOException {
    requireOpen();
    unmount();
    mount();
  }

  /** Unmounts the file system for good, whatever state it is in. Blocks while it is in use. */
  synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    thaw();
    try {
      unmount();
    } catch (IOException e) {
      // It goes away as soon as its last user does.
      Programs.run("umount", "--lazy", mount.toString());
    }
  }

  private void unmount() throws IOException {
    long end = System.nanoTime() + BUSY_PATIENCE.toNanos();
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
