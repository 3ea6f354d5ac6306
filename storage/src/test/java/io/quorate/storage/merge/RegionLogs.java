package io.quorate.storage.merge;

import static io.quorate.storage.split.Violation.require;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.command.RegionShape;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The logs of all regions, also of those that have ended. */
final class RegionLogs {
  private final Map<GroupId, RegionLog> logs = new TreeMap<>();

  /** The regions that end by merges, by the number of each one. */
  private final Map<GroupId, GroupId> absorbed = new HashMap<>();

  RegionLogs(GroupId first) {
    logs.put(first, new RegionLog(RegionShape.initial(first, KeyRange.ALL), Map.of()));
  }

  RegionLog of(GroupId region) {
    return logs.get(region);
  }

  Map<GroupId, RegionLog> all() {
    return logs;
  }

  void planned(ModelTopology.Plan plan) {
    if (plan instanceof ModelTopology.Plan.Merge merge) {
      absorbed.put(merge.number(), merge.absorbed());
    }
  }

  /** Called for every command that a replica applies, before its position advances. */
  boolean applied(MergeReplica replica, Operation operation, Outcome outcome) {
    RegionLog log = of(replica.region);
    if (log.isDecided(replica.applied + 1, outcome)) {
      return false;
    }
    Map<GroupId, Key> obsolete = log.obsolete();
    if (outcome == Outcome.RESHAPED && operation instanceof Operation.Split split) {
      require(!logs.containsKey(split.child()), () -> "a region begins once: " + split.child());
      RegionShape child = log.shape().childOf(replica.region, split, 0);
      logs.put(
          split.child(),
          new RegionLog(child, having(obsolete, start -> start.compareTo(split.at()) >= 0)));
      obsolete = having(obsolete, start -> start.compareTo(split.at()) < 0);
    } else if (outcome == Outcome.RESHAPED && operation instanceof Operation.Absorb absorb) {
      obsolete = obsoleteAfter(replica, absorb);
    }
    log.decide(outcome, replica.shape, obsolete);
    if (outcome == Outcome.RESHAPED) {
      requireOneRegionOfEachKey();
    }
    return true;
  }

  /**
   * The regions that are obsolete, with their first keys, when a replica absorbs another region.
   */
  Map<GroupId, Key> obsoleteAfter(MergeReplica replica, Operation.Absorb absorb) {
    RegionLog ended = of(absorbed.get(absorb.number()));
    Map<GroupId, Key> obsolete = new HashMap<>(of(replica.region).obsoleteAt(replica.applied));
    obsolete.putAll(ended.obsolete());
    obsolete.put(absorbed.get(absorb.number()), ended.shape().range().start());
    return obsolete;
  }

  private static Map<GroupId, Key> having(Map<GroupId, Key> regions, Predicate<Key> start) {
    return regions.entrySet().stream()
        .filter(each -> start.test(each.getValue()))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  private void requireOneRegionOfEachKey() {
    for (Map.Entry<GroupId, RegionLog> one : logs.entrySet()) {
      for (Map.Entry<GroupId, RegionLog> other : logs.entrySet()) {
        require(
            one.getKey().compareTo(other.getKey()) >= 0
                || one.getValue()
                    .shape()
                    .keys()
                    .intersect(other.getValue().shape().keys())
                    .isEmpty(),
            () -> "regions " + one.getKey() + " and " + other.getKey() + " have the same keys");
      }
    }
  }
}
