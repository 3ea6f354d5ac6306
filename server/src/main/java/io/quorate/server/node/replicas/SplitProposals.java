package io.quorate.server.node.replicas;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.config.PlacementConfig.SplitRule;
import io.quorate.server.node.monitor.RegionSizes;
import io.quorate.server.placement.SplitKey;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionLoad;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Finds every ten seconds where the regions that this node serves would be split, because they are
 * large or receive many requests, and publishes the rates of these. Placement decides whether they
 * are. Run every second, by one thread, and may read the disk; the results are for any.
 */
public final class SplitProposals implements Runnable {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** A short peak splits no region. */
  private static final int BUSY_INTERVALS = 3;

  private record Middle(KeyRange range, Key key) {}

  private final ClusterTopology topology;
  private final RegionSizes sizes;
  private final SplitRule rule;
  private final LongSupplier nanoClock;
  private final Map<GroupId, Integer> busyIntervals = new HashMap<>();
  private volatile Map<GroupId, Middle> bySize = Map.of();
  private volatile Map<GroupId, Key> byLoad = Map.of();
  private volatile Map<GroupId, Double> rates = Map.of();
  private long lastNanos;

  public SplitProposals(
      ClusterTopology topology, RegionSizes sizes, SplitRule rule, LongSupplier nanoClock) {
    this.topology = topology;
    this.sizes = sizes;
    this.rule = rule;
    this.nanoClock = nanoClock;
    this.lastNanos = nanoClock.getAsLong();
  }

  /**
   * Where a region that this replica serves may be split by its size; empty unless it is large.
   * Also empty after a split or merge until size and key are those of the present range: with a
   * former size, the region would be divided again.
   */
  public Optional<Key> bySize(LocalReplica replica) {
    return Optional.ofNullable(bySize.get(replica.assignment().id()))
        .filter(middle -> middle.range().equals(replica.store().range()))
        .map(Middle::key);
  }

  /** Where it is to be split because of many requests; empty unless it receives these. */
  public Optional<Key> byLoad(GroupId region) {
    return Optional.ofNullable(byLoad.get(region));
  }

  /** The requests a second that a replica has received lately; 0 while that is not known. */
  public double requestRate(GroupId region) {
    return rates.getOrDefault(region, 0.0);
  }

  @Override
  public void run() {
    long now = nanoClock.getAsLong();
    if (now - lastNanos < INTERVAL_NANOS) {
      return;
    }
    double seconds = (now - lastNanos) / (double) TimeUnit.SECONDS.toNanos(1);
    lastNanos = now;
    Map<GroupId, Middle> large = new HashMap<>();
    Map<GroupId, Key> busy = new HashMap<>();
    Map<GroupId, Double> observed = new HashMap<>();
    for (LocalReplica replica : topology.hosted()) {
      GroupId region = replica.assignment().id();
      // Begins the next interval also where another replica serves.
      RegionLoad.Interval load = replica.load().take();
      observed.put(region, load.requests() / seconds);
      if (replica.group().view().serving() && !region.equals(RegionAssignment.METADATA)) {
        middle(replica).ifPresent(middle -> large.put(region, middle));
        byLoad(replica, load, seconds).ifPresent(key -> busy.put(region, key));
      }
    }
    busyIntervals.keySet().removeIf(region -> topology.hosted(region).isEmpty());
    bySize = Map.copyOf(large);
    byLoad = Map.copyOf(busy);
    rates = Map.copyOf(observed);
  }

  private Optional<Middle> middle(LocalReplica replica) {
    if (rule.sizeMax() == 0) {
      return Optional.empty();
    }
    KeyRange range = replica.store().range();
    return rule.isLarge(sizes.bytes(replica.assignment().id(), range))
        ? replica
            .store()
            .middleKey()
            .flatMap(middle -> SplitKey.near(middle, range, rule.prefixEnd()))
            .map(key -> new Middle(range, key))
        : Optional.empty();
  }

  private Optional<Key> byLoad(LocalReplica replica, RegionLoad.Interval load, double seconds) {
    GroupId region = replica.assignment().id();
    if (!rule.isBusy(load.requests() / seconds)) {
      busyIntervals.remove(region);
      return Optional.empty();
    }
    if (busyIntervals.merge(region, 1, Integer::sum) < BUSY_INTERVALS) {
      return Optional.empty();
    }
    busyIntervals.remove(region);
    return SplitKey.dividing(load.keys(), replica.assignment().range(), rule.prefixEnd());
  }
}
