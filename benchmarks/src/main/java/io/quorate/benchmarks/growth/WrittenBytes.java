package io.quorate.benchmarks.growth;

import io.quorate.benchmarks.cluster.DiskUse;
import io.quorate.benchmarks.cluster.IdleDisks;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.KvRun;
import io.quorate.benchmarks.kv.Population;
import io.quorate.benchmarks.peers.quorate.QuorateContender;
import io.quorate.server.cli.terminal.ProgressLine;
import io.quorate.server.localcluster.NodeProcess;
import java.io.IOException;
import java.util.List;
import java.util.OptionalDouble;

/** Measures what reaches the disks of a cluster for each byte that clients write. */
final class WrittenBytes {
  private static final int KEY_BYTES = 16;

  private WrittenBytes() {}

  /**
   * Writes keys in all regions once, until the disks are idle: with the log, flushes, compactions
   * and what other programs write to the same disks meanwhile. Blocks.
   *
   * @param keys number of keys
   * @param clients number of clients that write
   * @return bytes written to disk per byte of keys and values at a node, on average over the nodes;
   *     empty if the data is on no block device, as in memory
   * @throws IOException if a key cannot be written or a data directory cannot be read
   */
  static OptionalDouble measure(
      QuorateContender.Running cluster, String label, int keys, int clients, ProgressLine progress)
      throws IOException, InterruptedException {
    List<NodeProcess> nodes = cluster.cluster().nodes();
    progress.show(() -> label + ", waiting until the disks are idle");
    DiskUse before = IdleDisks.await(nodes);
    KvRun run =
        new KvRun(cluster.calls(), new Population(new KeySpace(keys)), progress, System::nanoTime);
    run.load(label + ", ", GrowthLoads.VALUE_BYTES, clients);
    progress.show(() -> label + ", waiting until the disks are idle");
    DiskUse after = IdleDisks.await(nodes);
    long written = after.writtenBytes() - before.writtenBytes();
    double user = (double) keys * (KEY_BYTES + GrowthLoads.VALUE_BYTES);
    return written == 0 ? OptionalDouble.empty() : OptionalDouble.of(written / user / nodes.size());
  }
}
