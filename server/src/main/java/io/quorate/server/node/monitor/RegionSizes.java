package io.quorate.server.node.monitor;

import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import java.util.HashMap;
import java.util.Map;

/**
 * Estimates the sizes of this node's regions every ten seconds. Run every second, by one thread,
 * and may read the disk; {@link #bytes} by any.
 */
public final class RegionSizes implements Runnable {
  private static final int RUNS_PER_ESTIMATE = 10;

  private record Estimate(KeyRange range, long bytes) {}

  private final ClusterTopology topology;
  private volatile Map<GroupId, Estimate> sizes = Map.of();
  private int runs;

  public RegionSizes(ClusterTopology topology) {
    this.topology = topology;
  }

  @Override
  public void run() {
    if (runs++ % RUNS_PER_ESTIMATE == 0) {
      Map<GroupId, Estimate> estimated = new HashMap<>();
      for (LocalReplica replica : topology.hosted()) {
        // Before the size, so that a split in between makes this an estimate of the former range.
        KeyRange range = replica.store().range();
        estimated.put(replica.assignment().id(), new Estimate(range, replica.store().rowBytes()));
      }
      sizes = Map.copyOf(estimated);
    }
  }

  /** The approximate size of a region's rows and bodies on disk; 0 while it is not known. */
  public long bytes(GroupId region) {
    Estimate estimate = sizes.get(region);
    return estimate == null ? 0 : estimate.bytes();
  }

  /** The same of a region with this range; 0 also if it had another one when it was estimated. */
  public long bytes(GroupId region, KeyRange range) {
    Estimate estimate = sizes.get(region);
    return estimate == null || !estimate.range().equals(range) ? 0 : estimate.bytes();
  }

  /** That of all regions; 0 while it is not known. */
  public long bytes() {
    return sizes.values().stream().mapToLong(Estimate::bytes).sum();
  }
}
