package io.quorate.server.node.monitor;

/**
 * Watermarks of free disk space that decide whether writes are accepted. They are rejected below
 * the minimum and accepted again at a quarter above it; the hysteresis prevents rapid changes. Not
 * thread-safe.
 */
public final class DiskWatermark {
  private final long minimumBytes;
  private boolean writable = true;

  public DiskWatermark(long minimumBytes) {
    this.minimumBytes = minimumBytes;
  }

  /** Whether writes are accepted with this much free space. */
  public boolean update(long freeBytes) {
    writable = freeBytes >= (writable ? minimumBytes : minimumBytes + minimumBytes / 4);
    return writable;
  }
}
