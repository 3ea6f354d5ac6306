package io.quorate.server.node;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.GroupId;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * The replicas that are assigned to this node, that it does not have, and that it may not begin,
 * because empty ones would contradict what the former ones have acknowledged. A loss is reported
 * once it has lasted for some seconds, since what explains it may be applied just now. Any thread.
 */
final class LostReplicas {
  private static final long REPORTED_AFTER_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final LongSupplier nanoClock;
  private final Map<GroupId, Loss> losses = new ConcurrentHashMap<>();

  private record Loss(RegionEpoch epoch, long sinceNanos) {}

  LostReplicas(LongSupplier nanoClock) {
    this.nanoClock = nanoClock;
  }

  /**
   * Records that a replica is lost.
   *
   * @param epoch in which it is assigned
   * @return whether it was not recorded yet
   */
  boolean add(GroupId region, RegionEpoch epoch) {
    Loss present = losses.get(region);
    if (present != null && present.epoch().equals(epoch)) {
      return false;
    }
    losses.put(region, new Loss(epoch, nanoClock.getAsLong()));
    return present == null;
  }

  /** Forgets all others. */
  void retain(Set<GroupId> lost) {
    losses.keySet().retainAll(lost);
  }

  /** The replicas that are to be reported, and the epochs in which they are assigned. */
  Map<GroupId, RegionEpoch> reported() {
    long now = nanoClock.getAsLong();
    return losses.entrySet().stream()
        .filter(entry -> now - entry.getValue().sinceNanos() >= REPORTED_AFTER_NANOS)
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().epoch()));
  }
}
