package io.quorate.benchmarks.metrics;

/**
 * The fsyncs of the logs of all groups of a node, of either engine. Those of RocksDB, at a flush or
 * a compaction, are not among them, and the kernel counts none for a process.
 */
public final class LogSyncs {
  /** The name of the metric. */
  public static final String NAME = "quorate_log_sync_seconds_count";

  private LogSyncs() {}

  /** The fsyncs of all nodes since they started. */
  public static double of(Scrape scrape) {
    return scrape.sum(NAME);
  }
}
