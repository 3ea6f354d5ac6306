package io.quorate.server.node.monitor;

import io.quorate.consensus.MetricsSink;
import io.quorate.server.rpc.ServingState;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rejects writes while the disk of the data or that of the log is nearly full, and lets go what is
 * there for a time only. Run every second, by a thread of its own: with a disk that does not
 * respond it waits for it, and what was measured last stays.
 */
public final class DiskWatch implements Runnable {
  private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

  private final FreeSpace data;
  private final FreeSpace log;
  private final long minimumBytes;
  private final DiskWatermark watermark;
  private final ServingState servingState;
  private final Runnable relief;
  private final LongSupplier nanoClock;
  private volatile long measuredNanos;
  private volatile double freeBytes = Double.NaN;
  private volatile double freeLogBytes = Double.NaN;
  private boolean writable = true;

  /** Measures free space, in bytes. */
  @FunctionalInterface
  public interface FreeSpace {
    long bytes() throws IOException;
  }

  /**
   * @param relief lets space go that is occupied for a time only; called at every measurement while
   *     writes are refused
   */
  public DiskWatch(
      FreeSpace data,
      FreeSpace log,
      long minimumBytes,
      ServingState servingState,
      Runnable relief,
      LongSupplier nanoClock) {
    this.data = data;
    this.log = log;
    this.minimumBytes = minimumBytes;
    this.watermark = new DiskWatermark(minimumBytes);
    this.servingState = servingState;
    this.relief = relief;
    this.nanoClock = nanoClock;
    this.measuredNanos = nanoClock.getAsLong();
  }

  /** Registers gauges of the space that was measured last. */
  public void register(MetricsSink telemetry) {
    telemetry.gauge(
        "storage.free.bytes",
        "Free space where the data is, as last measured",
        Map.of(),
        this::freeBytes);
    telemetry.gauge(
        "log.free.bytes",
        "Free space where the log is, as last measured",
        Map.of(),
        this::freeLogBytes);
    telemetry.gauge(
        "storage.free.age.seconds",
        "Time since free space was last measured: a second, unless the disk does not respond",
        Map.of(),
        () -> (nanoClock.getAsLong() - measuredNanos) / (double) TimeUnit.SECONDS.toNanos(1));
  }

  /** The last measured space for data; NaN before the first measurement. Any thread. */
  public double freeBytes() {
    return freeBytes;
  }

  /** The last measured space for the log; NaN before the first measurement. Any thread. */
  public double freeLogBytes() {
    return freeLogBytes;
  }

  @Override
  public void run() {
    try {
      long free = data.bytes();
      freeBytes = free;
      long freeForLog = log.bytes();
      freeLogBytes = freeForLog;
      measuredNanos = nanoClock.getAsLong();
      update(Math.min(free, freeForLog));
    } catch (IOException e) {
      LOG.atWarn().addKeyValue("error", e).log("Free disk space cannot be measured");
    }
  }

  private void update(long free) {
    boolean wasWritable = writable;
    writable = watermark.update(free);
    if (!writable) {
      servingState.refuseWrites(
          String.format(
              Locale.ROOT,
              "The disk of this node is nearly full: %d MiB are free, and storage.free-space-min is %d MiB.",
              free >> 20,
              minimumBytes >> 20));
      relief.run();
    }
    if (wasWritable && !writable) {
      LOG.atWarn().addKeyValue("freeBytes", free).log("Refusing writes: the disk is full");
    } else if (!wasWritable && writable) {
      servingState.acceptWrites();
      LOG.atInfo().addKeyValue("freeBytes", free).log("Accepting writes again");
    }
  }
}
