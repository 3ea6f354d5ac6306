package io.quorate.benchmarks.costs;

import io.quorate.benchmarks.cluster.DiskUse;
import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/**
 * What all nodes of a cluster together have used since they started.
 *
 * @param processorTime CPU time on all cores
 * @param syncs fsyncs of the consensus logs
 * @param allocatedBytes bytes of objects on the heap, without those that G1 considers humongous
 * @param writtenBytes bytes written to the block devices of the data directories, by all programs
 */
record NodeCounters(
    Duration processorTime, double syncs, double allocatedBytes, long writtenBytes) {
  private static final List<String> SYNCS =
      List.of("quorate_raft_log_sync_seconds_count", "quorate_rabia_log_syncs_total");

  /** Grows at a garbage collection only, by what was allocated since the last one. */
  private static final String ALLOCATED_BEFORE_COLLECTION = "jvm_gc_memory_allocated_bytes_total";

  private static final String USED = "jvm_memory_used_bytes";
  private static final String EDEN = "Eden";

  /**
   * Reads the counters. Blocks.
   *
   * @throws IOException if a node does not run, or the system does not report the use of processes
   */
  static NodeCounters of(ProcessCluster cluster) throws IOException, InterruptedException {
    Duration processorTime = Duration.ZERO;
    for (NodeProcess node : cluster.nodes()) {
      long pid =
          node.handle()
              .orElseThrow(() -> new IOException("Node " + node.plan().id() + " does not run."))
              .pid();
      processorTime = processorTime.plus(ProcessUse.of(pid).processorTime());
    }
    Scrape scrape = Scrape.of(cluster.plan().nodes());
    return new NodeCounters(
        processorTime,
        syncs(scrape),
        allocatedBytes(scrape),
        DiskUse.of(cluster.nodes()).writtenBytes());
  }

  private static double syncs(Scrape scrape) {
    return SYNCS.stream().mapToDouble(scrape::sum).sum();
  }

  static double allocatedBytes(Scrape scrape) {
    return scrape.sum(ALLOCATED_BEFORE_COLLECTION)
        + scrape.sum(USED, sample -> sample.labels().getOrDefault("id", "").contains(EDEN));
  }
}
