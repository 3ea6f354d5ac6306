package io.quorate.replication.log;

import io.quorate.consensus.MetricsSink;
import java.time.Duration;
import java.util.Map;
import java.util.function.DoubleSupplier;

/** Registers the measurements of the log of a node, of all its groups together. */
public final class SharedLogMetrics {
  private static final Duration SYNC_MAX = Duration.ofMinutes(1);

  private final MetricsSink to;

  private SharedLogMetrics(MetricsSink to) {
    this.to = to;
  }

  /** Registers what the counters of an open log have. */
  public static void register(MetricsSink to, SharedLogCounters log) {
    log.timeSyncs(to.timer("log.sync", "Time of an fsync of the log", Map.of(), SYNC_MAX)::record);
    SharedLogMetrics metrics = new SharedLogMetrics(to);
    metrics.count("log.records", "Records written to the log", log::records);
    metrics.count("log.written.bytes", "Bytes written to the log", log::bytes);
    metrics.count(
        "log.rewritten.bytes",
        "Bytes of records that were written again, so that old files can be deleted",
        log::rewrittenBytes);
    metrics.count("log.reads", "Records that were read from files of the log", log::diskReads);
    metrics.gauge("log.disk.bytes", "Length of the files of the log", log::bytesOnDisk);
    metrics.gauge("log.live.bytes", "Bytes of records that are needed", log::liveBytes);
    metrics.gauge("log.memory.bytes", "Bytes of records in memory", log::memoryBytes);
    metrics.gauge("log.queue.records", "Records that wait for the disk", log::queuedRecords);
    metrics.gauge(
        "log.queue.bytes", "Bytes of the records that wait for the disk", log::queuedBytes);
  }

  private void count(String name, String help, DoubleSupplier value) {
    to.counter(name, help, Map.of(), value);
  }

  private void gauge(String name, String help, DoubleSupplier value) {
    to.gauge(name, help, Map.of(), value);
  }
}
