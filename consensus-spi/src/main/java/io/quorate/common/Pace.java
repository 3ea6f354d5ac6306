package io.quorate.common;

import java.util.concurrent.TimeUnit;

/** Spaces out work on the disk and the network by its bytes. Thread-safe; nothing blocks. */
public final class Pace {
  private final long bytesPerSecond;
  private long freeAtNanos;

  /**
   * @param bytesPerSecond at least 1
   * @param nowNanos as {@link System#nanoTime}
   */
  public Pace(long bytesPerSecond, long nowNanos) {
    this.bytesPerSecond = bytesPerSecond;
    this.freeAtNanos = nowNanos;
  }

  /**
   * Reserves the time for work, after that of earlier calls. Time that nobody used is lost.
   *
   * @return after how many nanoseconds the work may begin
   */
  public synchronized long reserve(int bytes, long nowNanos) {
    long delay = Math.max(0, freeAtNanos - nowNanos);
    freeAtNanos = nowNanos + delay + bytes * TimeUnit.SECONDS.toNanos(1) / bytesPerSecond;
    return delay;
  }
}
