package io.quorate.server.node.monitor;

import io.quorate.model.GroupId;
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

  private final ClusterTopology topology;
  private volatile Map<GroupId, Long> sizes = Map.of();
  private int runs;

  public RegionSizes(ClusterTopology topology) {
    this.topology = topology;
  }

  @Override
  public void run() {
    if (runs++ % RUNS_PER_ESTIMATE == 0) {
      Map<GroupId, Long> estimated = new HashMap<>();
      for (LocalReplica replica : topology.hosted()) {
        estimated.put(replica.assignment().id(), replica.store().rowBytes());
      }
      sizes = Map.copyOf(estimated);
    }
  }

  /** The approximate size of a region's rows and bodies on disk; 0 while it is not known. */
  public long bytes(GroupId region) {
    return sizes.getOrDefault(region, 0L);
  }

  /** That of all regions; 0 while it is not known. */
  public long bytes() {
    return sizes.values().stream().mapToLong(Long::longValue).sum();
  }
}
