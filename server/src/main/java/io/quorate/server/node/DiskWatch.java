package io.quorate.server.node;

import io.quorate.server.door.ServiceGate;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has writes refused while the disk is nearly full. Run every second, by one thread. */
final class DiskWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  private final FreeSpace space;
  private final long minimumBytes;
  private final FreeSpaceGauge gauge;
  private final ServiceGate gate;
  private volatile double freeBytes = Double.NaN;
  private boolean writable = true;

  /** Where free space is asked for, in bytes. */
  @FunctionalInterface
  interface FreeSpace {
    long bytes() throws IOException;
  }

  DiskWatch(FreeSpace space, long minimumBytes, ServiceGate gate) {
    this.space = space;
    this.minimumBytes = minimumBytes;
    this.gauge = new FreeSpaceGauge(minimumBytes);
    this.gate = gate;
  }

  /** As measured last; not a number before. Any thread. */
  double freeBytes() {
    return freeBytes;
  }

  @Override
  public void run() {
    try {
      long free = space.bytes();
      freeBytes = free;
      look(free);
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("error", e).log("Free disk space cannot be measured");
    }
  }

  private void look(long free) {
    boolean before = writable;
    writable = gauge.update(free);
    if (!writable) {
      gate.refuseWrites(
          "The disk of this node is nearly full: %d MiB are free, and storage.free-space-min is %d MiB."
              .formatted(free >> 20, minimumBytes >> 20));
    }
    if (before && !writable) {
      LOG.atWarn().addKeyValue("freeBytes", free).log("Refusing writes: the disk is full");
    } else if (!before && writable) {
      gate.acceptWrites();
      LOG.atInfo().addKeyValue("freeBytes", free).log("Taking writes again");
    }
  }
}
