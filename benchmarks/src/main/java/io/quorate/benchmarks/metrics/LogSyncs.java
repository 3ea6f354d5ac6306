package io.quorate.benchmarks.metrics;

import java.util.List;

/**
 * The fsyncs of the logs of all groups of a node, of either engine. Those of RocksDB, at a flush or
 * a compaction, are not among them, and the kernel counts none for a process.
 */
public final class LogSyncs {
  private static final List<String> NAMES =
      List.of("quorate_raft_log_sync_seconds_count", "quorate_rabia_log_syncs_total");

  private LogSyncs() {}

  /** The fsyncs of all nodes since they started. */
  public static double of(Scrape scrape) {
    return NAMES.stream().mapToDouble(scrape::sum).sum();
  }
}
