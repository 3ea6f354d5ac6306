package io.quorate.benchmarks.costs;

import io.quorate.benchmarks.cluster.ContextSwitches;
import io.quorate.benchmarks.cluster.DiskUse;
import io.quorate.benchmarks.cluster.ProcessUse;
import io.quorate.benchmarks.metrics.LogSyncs;
import io.quorate.benchmarks.metrics.Scrape;
import io.quorate.server.localcluster.NodeProcess;
import io.quorate.server.localcluster.ProcessCluster;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What all nodes of a cluster together, and the clients, have used since they started.
 *
 * @param processorTime CPU time on all cores
 * @param clientTime CPU time of this process, which has the clients
 * @param switches context switches of the threads of all nodes
 * @param clientSwitches context switches of the threads of this process
 * @param syncs fsyncs of the consensus logs
 * @param allocatedBytes bytes of objects on the heap, without those that G1 considers humongous
 * @param writtenBytes bytes written to the block devices of the data directories, by all programs
 */
record NodeCounters(
    Duration processorTime,
    Duration clientTime,
    ContextSwitches switches,
    ContextSwitches clientSwitches,
    double syncs,
    double allocatedBytes,
    long writtenBytes) {
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
    List<Long> pids = new ArrayList<>();
    for (NodeProcess node : cluster.nodes()) {
      long pid =
          node.handle()
              .orElseThrow(() -> new IOException("Node " + node.plan().id() + " does not run."))
              .pid();
      pids.add(pid);
      processorTime = processorTime.plus(ProcessUse.of(pid).processorTime());
    }
    ContextSwitches switches = ContextSwitches.of(pids);
    long self = ProcessHandle.current().pid();
    ContextSwitches ofClients = ContextSwitches.of(List.of(self));
    Duration clientTime = ProcessUse.of(self).processorTime();
    Scrape scrape = Scrape.of(cluster.plan());
    return new NodeCounters(
        processorTime,
        clientTime,
        switches,
        ofClients,
        LogSyncs.of(scrape),
        allocatedBytes(scrape),
        DiskUse.of(cluster.nodes()).writtenBytes());
  }

  static double allocatedBytes(Scrape scrape) {
    return scrape.sum(ALLOCATED_BEFORE_COLLECTION)
        + scrape.sum(USED, sample -> sample.labels().getOrDefault("id", "").contains(EDEN));
  }
}
