package io.quorate.server.node;

import io.quorate.server.rpc.ServingState;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Rejects writes while the disk is nearly full. Run every second, by one thread. */
final class DiskWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  private final FreeSpace space;
  private final long minimumBytes;
  private final DiskWatermark watermark;
  private final ServingState servingState;
  private volatile double freeBytes = Double.NaN;
  private boolean writable = true;

  /** Measures free space, in bytes. */
  @FunctionalInterface
  interface FreeSpace {
    long bytes() throws IOException;
  }

  DiskWatch(FreeSpace space, long minimumBytes, ServingState servingState) {
    this.space = space;
    this.minimumBytes = minimumBytes;
    this.watermark = new DiskWatermark(minimumBytes);
    this.servingState = servingState;
  }

  /** The last measured free space; NaN before the first measurement. Any thread. */
  double freeBytes() {
    return freeBytes;
  }

  @Override
  public void run() {
    try {
      long free = space.bytes();
      freeBytes = free;
      update(free);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("error", e).log("Free disk space cannot be measured");
    }
  }

  private void update(long free) {
    boolean wasWritable = writable;
    writable = watermark.update(free);
    if (!writable) {
      servingState.refuseWrites(
          "The disk of this node is nearly full: %d MiB are free, and storage.free-space-min is %d MiB."
              .formatted(free >> 20, minimumBytes >> 20));
    }
    if (wasWritable && !writable) {
      LOG.atWarn().addKeyValue("freeBytes", free).log("Refusing writes: the disk is full");
    } else if (!wasWritable && writable) {
      servingState.acceptWrites();
      LOG.atInfo().addKeyValue("freeBytes", free).log("Accepting writes again");
    }
  }
}
