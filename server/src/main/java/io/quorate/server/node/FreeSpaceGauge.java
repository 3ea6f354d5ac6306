package io.quorate.server.node;

/**
 * Decides by free disk space whether writes are taken. They are refused below the minimum and taken
 * again a quarter above it, so that the decision does not flutter. Not thread-safe.
 */
final class FreeSpaceGauge {
  private final long minimumBytes;
  private boolean writable = true;

  FreeSpaceGauge(long minimumBytes) {
    this.minimumBytes = minimumBytes;
  }

  /** Whether writes are taken now that so much space is free. */
  boolean update(long freeBytes) {
    writable = freeBytes >= (writable ? minimumBytes : minimumBytes + minimumBytes / 4);
    return writable;
  }
}
