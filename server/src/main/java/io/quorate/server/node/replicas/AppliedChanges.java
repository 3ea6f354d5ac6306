package io.quorate.server.node.replicas;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import io.quorate.storage.Storage;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/**
 * What the replicas of this node have applied of the splits and merges that the topology has. Used
 * by one thread.
 */
final class AppliedChanges {
  private final Storage storage;
  private final ClusterTopology topology;

  AppliedChanges(Storage storage, ClusterTopology topology) {
    this.storage = storage;
    this.topology = topology;
  }

  /**
   * The regions that have begun here by splits that are planned. Reads the disk if there are any.
   */
  Set<GroupId> begun(StoredTopology stored) throws IOException {
    boolean anySplits =
        stored.assignments().stream().anyMatch(region -> region.split().isPresent());
    return anySplits ? storage.children().keySet() : Set.of();
  }

  /** The planned merges in which a replica here has absorbed the other region. */
  Set<GroupId> merged(StoredTopology stored) {
    Set<GroupId> applied = new HashSet<>();
    for (RegionAssignment region : stored.regions().regions()) {
      if (region.merge().isPresent() && !region.isToBeAbsorbed()) {
        GroupId number = region.merge().get().number();
        topology
            .hosted(region.id())
            .filter(replica -> replica.store().newestChange().compareTo(number) >= 0)
            .ifPresent(replica -> applied.add(number));
      }
    }
    return applied;
  }

  /**
   * Whether the keys of a region may be received here from the region below, which has yet to apply
   * splits or merges. Until then, what is here of a region that was absorbed keeps its keys, and a
   * region that is to begin with such keys is not lost.
   */
  boolean isAwaited(GroupId region, StoredTopology present) {
    Optional<Key> start =
        storage
            .range(region)
            .or(() -> present.assignment(region).map(RegionAssignment::range))
            .map(KeyRange::start);
    Optional<GroupId> below = start.flatMap(key -> storage.below(key, Keyspace.DATA));
    return below.isPresent() && isBehind(below.get(), present);
  }

  private boolean isBehind(GroupId region, StoredTopology present) {
    Optional<LocalReplica> hosted = topology.hosted(region);
    Optional<RegionAssignment> assigned = present.assignment(region);
    return hosted.isEmpty()
        || assigned.isEmpty()
        || hosted.get().store().newestChange().compareTo(assigned.get().newestChange()) < 0;
  }
}
