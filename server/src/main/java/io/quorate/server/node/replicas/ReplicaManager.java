package io.quorate.server.node.replicas;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.common.LogLimit;
import io.quorate.consensus.ConsensusEngine;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.DamagedReplicaException;
import io.quorate.consensus.GroupSpec;
import io.quorate.consensus.GroupSpec.Activation;
import io.quorate.consensus.MetricsSink;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.node.directory.ReplicaRecords;
import io.quorate.server.node.directory.ReplicaRecords.Assigned;
import io.quorate.server.node.monitor.LostReplicas;
import io.quorate.server.node.monitor.ReplicaGauges;
import io.quorate.server.topology.ClusterTopology;
import io.quorate.server.topology.LocalReplica;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import io.quorate.storage.RegionStore;
import io.quorate.storage.Storage;
import io.quorate.storage.context.OverlappingRangesException;
import io.quorate.storage.options.Keyspace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and removes this node's replicas, as the regions are assigned. Used by one thread.
 *
 * <p>The assignments may be out of date, for example those of a metadata replica that has just
 * restarted. A replica is therefore removed only in a later epoch than the last one that concerned
 * this node: in that epoch its group has had other members.
 */
public final class ReplicaManager {
  private static final KeyRange NO_KEYS = KeyRange.of(Key.EMPTY, Key.EMPTY);

  /** What is known after a restart. */
  private static final String LOST_BEFORE =
      "Its rows differed from those of the other replicas, or were set aside with a damaged"
          + " database";

  private static final Logger LOG = LoggerFactory.getLogger(ReplicaManager.class);

  private final LogLimit notOpening = LogLimit.oneAMinute();
  private final Storage storage;
  private final ConsensusEngine engine;
  private final ClusterTopology topology;
  private final MetricsSink telemetry;
  private final ReplicaRecords records;
  private final LostReplicas lost;
  private final ReplicaGauges gauges;

  /** Requests a call of {@link #follow} without delay. */
  private final Runnable wake;

  private final AppliedChanges changes;
  private final UnusedBodies unusedBodies;

  /** The replicas whose files are damaged, and what is wrong with them, until they are removed. */
  private final Map<GroupId, String> damaged = new HashMap<>();

  /** The replicas that were found to differ from the others, until they are closed. */
  private final Map<GroupId, String> differing = new ConcurrentHashMap<>();

  public ReplicaManager(
      Storage storage,
      ConsensusEngine engine,
      ClusterTopology topology,
      ReplicaRecords records,
      LostReplicas lost,
      ReplicaGauges gauges,
      Runnable wake,
      MetricsSink telemetry) {
    this.storage = storage;
    this.engine = engine;
    this.topology = topology;
    this.telemetry = telemetry;
    this.records = records;
    this.lost = lost;
    this.gauges = gauges;
    this.wake = wake;
    this.changes = new AppliedChanges(storage, topology);
    this.unusedBodies = new UnusedBodies(storage, records, topology.self());
    records.lost().forEach(region -> damaged.put(region, LOST_BEFORE));
  }

  /** Whether this node has a replica of a region, or a part of one, or is about to open it. */
  public boolean has(GroupId region) throws IOException {
    return records.of(region).isPresent() || storage.holds(region);
  }

  /** Whether this node has received the topology of its cluster at any time. */
  public boolean hasJoined() {
    return records.hasJoined();
  }

  /** Records durably that this node has received the topology of the cluster founded as this. */
  public void join(UUID founding) throws IOException {
    records.join(founding);
  }

  /**
   * Makes a replica lost whose rows are not those of the others, by the next call of {@link
   * #follow}; no row of it is read from now on. Any thread; does not block.
   *
   * @param difference a sentence
   */
  public void differs(GroupId region, String difference) {
    topology.hosted(region).ifPresent(replica -> replica.store().refuseReads(difference));
    differing.put(region, difference);
    wake.run();
  }

  /**
   * Opens every replica that is or will be on this node, and removes every other one. What is in
   * force here already, although the topology still has it as planned, counts: so keys that have
   * moved are served again as soon as possible. A replica with damaged files is lost; the others
   * are opened. Blocks; does not wait for other nodes.
   *
   * @throws IOException if files of a replica cannot be used, after all others were opened; the
   *     call may be repeated
   */
  public void follow(StoredTopology stored) throws IOException {
    closeDiffering();
    Set<GroupId> begun = changes.begun(stored);
    Set<GroupId> merged = changes.merged(stored);
    StoredTopology present = stored.whereInForce(begun, merged);
    List<RegionAssignment> here = new ArrayList<>();
    List<RegionAssignment> elsewhere = new ArrayList<>();
    Set<GroupId> missing = new HashSet<>();
    for (RegionAssignment region : present.assignments()) {
      if (!region.concerns(topology.self())) {
        elsewhere.add(region);
      } else if (isDamaged(region)) {
        missing.add(region.id());
      } else if (topology.hosted(region.id()).isPresent() || mayOpen(region, present)) {
        here.add(region);
      } else {
        missing.add(region.id());
      }
    }
    lost.retain(missing);
    Set<GroupId> rejoining = rejoining(here);
    record(here);
    beginEmpty(here);
    openAll(here, rejoining);
    topology.inForce(begun, merged);
    for (RegionAssignment region : elsewhere) {
      Optional<Assigned> recorded = records.of(region.id());
      if (recorded.isPresent() && isNewer(region, recorded)) {
        remove(region, recorded.get());
      }
    }
    for (GroupId region : records.regions()) {
      if (present.isAbsorbed(region) && !changes.isAwaited(region, present)) {
        removeAbsorbed(region);
      }
    }
    unusedBodies.remove(present);
  }

  private void openAll(List<RegionAssignment> regions, Set<GroupId> rejoining) throws IOException {
    Optional<IOException> failure = Optional.empty();
    for (RegionAssignment region : regions) {
      try {
        openOrUpdate(region);
      } catch (OverlappingRangesException e) {
        // A split is being applied, or a replica opened before has absorbed the region since; the
        // call is repeated.
        LOG.atDebug().addKeyValue("region", region.id()).setCause(e).log("Not opened yet");
      } catch (DamagedReplicaException e) {
        if (rejoining.contains(region.id())) {
          remove(region, records.of(region.id()).orElseThrow());
        } else {
          lose(region, e.getMessage());
        }
      } catch (IOException e) {
        notOpening.log(
            leftOut ->
                LOG.atWarn()
                    .addKeyValue("region", region.id())
                    .addKeyValue("reason", e.getMessage())
                    .log("A replica does not open" + LogLimit.text(leftOut)));
        failure = failure.or(() -> Optional.of(e));
      }
    }
    if (failure.isPresent()) {
      throw failure.get();
    }
  }

  /**
   * The regions that this node joins by a later plan than the last one that concerned it: its
   * former replicas, of which there are files, have been removed from their groups in between. If
   * the files are damaged, the new replica begins without them.
   */
  private Set<GroupId> rejoining(List<RegionAssignment> regions) {
    return regions.stream()
        .filter(this::isRejoined)
        .map(RegionAssignment::id)
        .collect(Collectors.toSet());
  }

  private boolean isRejoined(RegionAssignment region) {
    Optional<Assigned> recorded = records.of(region.id());
    return region.isJoinedBy(topology.self()) && recorded.isPresent() && isNewer(region, recorded);
  }

  /** They take no part in their groups from here on, also after a restart. */
  private void closeDiffering() throws IOException {
    for (Map.Entry<GroupId, String> each : differing.entrySet()) {
      GroupId region = each.getKey();
      Optional<LocalReplica> hosted = topology.hosted(region);
      if (hosted.isPresent()) {
        records.lose(region);
        topology.unhost(region);
        hosted.get().group().close();
        lose(hosted.get().assignment(), each.getValue());
      }
      differing.remove(region);
    }
  }

  /** Whether the replica must not be opened, because its files are damaged. */
  private boolean isDamaged(RegionAssignment region) throws IOException {
    String problem = damaged.get(region.id());
    if (problem == null) {
      return false;
    }
    if (isRejoined(region)) {
      remove(region, records.of(region.id()).orElseThrow());
      return false;
    }
    reportLost(region, problem);
    return true;
  }

  /** The damaged files stay until the replica is removed, or begins again by a later plan. */
  private void lose(RegionAssignment region, String problem) {
    damaged.put(region.id(), problem);
    reportLost(region, problem);
    LOG.atError()
        .addKeyValue("region", region.id())
        .addKeyValue("reason", problem)
        .log(
            "The replica of a region is lost, because what it has is damaged or missing; this node"
                + " receives another one from the others if these have a majority");
  }

  private void reportLost(RegionAssignment region, String problem) {
    if (region.isOn(topology.self())) {
      lost.addDamaged(region.id(), region.epoch(), problem);
    }
  }

  /**
   * Opens a replica that this node has or begins, or updates the description of an open one. If its
   * files are damaged, it is lost, and this node has none.
   */
  public void host(RegionAssignment region) throws IOException {
    if (damaged.containsKey(region.id())) {
      return;
    }
    record(List.of(region));
    try {
      openOrUpdate(region);
    } catch (DamagedReplicaException e) {
      lose(region, e.getMessage());
    }
  }

  /** Records the epochs of replicas, durably and with one write. */
  private void record(List<RegionAssignment> regions) throws IOException {
    Map<GroupId, Assigned> changed = new HashMap<>();
    for (RegionAssignment region : regions) {
      Optional<Assigned> recorded = records.of(region.id());
      if (isNewer(region, recorded)) {
        long joins = region.isJoinedBy(topology.self()) ? region.epoch().value() : 0;
        changed.put(
            region.id(),
            recorded
                .map(former -> former.in(region.epoch()))
                .orElse(new Assigned(region.epoch(), joins)));
      }
    }
    if (!changed.isEmpty()) {
      records.putAll(changed);
      for (GroupId region : changed.keySet()) {
        ReplicaPoints.RECORDED.reached(region);
      }
    }
  }

  private static boolean isNewer(RegionAssignment region, Optional<Assigned> recorded) {
    return recorded.isEmpty() || region.epoch().compareTo(recorded.get().epoch()) > 0;
  }

  /** Begins regions that are new, all with one flush. */
  private void beginEmpty(List<RegionAssignment> regions) throws IOException {
    Map<GroupId, KeyRange> ranges = new HashMap<>();
    for (RegionAssignment region : regions) {
      boolean isNew = beginsEmpty(region) && topology.hosted(region.id()).isEmpty();
      if (isNew && keyspace(region) == Keyspace.DATA) {
        ranges.put(region.id(), region.range());
      }
    }
    if (ranges.isEmpty()) {
      return;
    }
    try {
      storage.begin(ranges, Keyspace.DATA);
    } catch (OverlappingRangesException e) {
      LOG.atDebug().setCause(e).log("Regions begin one by one");
    }
  }

  private void openOrUpdate(RegionAssignment region) throws IOException {
    Optional<LocalReplica> hosted = topology.hosted(region.id());
    if (hosted.isEmpty()) {
      open(region);
    } else if (hosted.get().group().view().ended()) {
      LOG.atInfo()
          .addKeyValue("region", region.id())
          .log("A replica ended, and is opened again because it is assigned to this node");
      topology.unhost(region.id());
      hosted.get().group().close();
      open(region);
    } else if (!hosted.get().assignment().equals(region)) {
      topology.host(hosted.get().assigned(region));
    }
  }

  /**
   * Whether a replica may be opened: it has a state, or is to begin empty or with that of another
   * node. A replica without one that is in the group already would receive the log and no snapshot,
   * and never apply anything, while a split that is still to be applied here would write its state.
   * A record proves nothing, since it is durable before the state.
   *
   * <p>If no such split is to be applied, the replica is lost, and an empty one in its place would
   * contradict the votes of the former; or the node has missed the split, because it received a
   * snapshot of a later state.
   */
  private boolean mayOpen(RegionAssignment region, StoredTopology present) throws IOException {
    if (records.hasEnded(region.id())) {
      return false;
    }
    if (region.isJoinedBy(topology.self()) || beginsEmpty(region) || storage.holds(region.id())) {
      return true;
    }
    boolean isLost =
        region.isOn(topology.self())
            && !storage.hasOther(region.id(), region.range(), keyspace(region))
            && !changes.isAwaited(region.id(), present);
    if (isLost && lost.add(region.id(), region.epoch())) {
      LOG.atWarn()
          .addKeyValue("region", region.id())
          .log(
              "This node has no replica of a region that it is to have one of, and does not begin"
                  + " an empty one; it receives one from the others if these have a majority");
    }
    return false;
  }

  /** Opens one replica and adds it to the topology. Blocks; does not wait for other nodes. */
  private void open(RegionAssignment region) throws IOException {
    RegionStore store =
        beginsEmpty(region) || storage.holds(region.id())
            ? storage.region(region.id(), region.range(), keyspace(region))
            : storage.region(region.id(), keyspace(region));
    ConsensusGroup group =
        engine.open(
            new GroupSpec(
                topology.cluster().uuid(),
                region.id(),
                topology.members(region.replicas()),
                Optional.of(region.preferredLeader()),
                activation(region),
                records.of(region.id()).orElseThrow().joinedBy(),
                storage.inheritedEpoch(region.id())),
            store);
    ReplicaPoints.OPENED.reached(region.id());
    LocalReplica replica = new LocalReplica(region, group, store);
    topology.host(replica);
    gauges.register(region.id());
  }

  /** Replicas of any other region begin by a split or with a snapshot. */
  private static boolean beginsEmpty(RegionAssignment region) {
    return region.epoch().equals(RegionEpoch.FIRST);
  }

  private static Activation activation(RegionAssignment region) {
    if (region.id().equals(RegionAssignment.METADATA)) {
      // Nodes read what the group has applied, which it does not observe.
      return Activation.ALWAYS;
    }
    // A region that begins by a split may have begun earlier on other nodes.
    return region.epoch().equals(RegionEpoch.FIRST) ? Activation.ON_USE : Activation.ON_OPEN;
  }

  private static Keyspace keyspace(RegionAssignment region) {
    return region.id().equals(RegionAssignment.METADATA) ? Keyspace.SYSTEM : Keyspace.DATA;
  }

  /**
   * The record is deleted last, so that after a crash the removal is repeated. What is opened
   * instead, because the region is assigned to this node again, has joined later than the replica
   * that is removed.
   */
  private void remove(RegionAssignment region, Assigned recorded) throws IOException {
    topology.unhost(region.id());
    ReplicaPoints.WITHDRAWN.reached(region.id());
    records.put(region.id(), new Assigned(recorded.epoch(), region.epoch().value()));
    removeParts(region.id(), region.range(), keyspace(region));
    records.delete(region.id());
    damaged.remove(region.id());
    LOG.atInfo()
        .addKeyValue("region", region.id())
        .addKeyValue("replicas", region.replicas())
        .log("Removed the replica of a region, which is on other nodes now");
  }

  private void removeParts(GroupId region, KeyRange range, Keyspace keyspace) throws IOException {
    engine.remove(region);
    ReplicaPoints.LOG_REMOVED.reached(region);
    storage.remove(region, range, keyspace);
    ReplicaPoints.ROWS_REMOVED.reached(region);
    telemetry.remove(ReplicaGauges.REGION_TAG, region.toString());
  }

  /**
   * Removes what is left of the replica of a region that another one has absorbed: its log, and its
   * rows unless the other region has them here. First, that it has them becomes durable.
   */
  private void removeAbsorbed(GroupId region) throws IOException {
    topology.unhost(region);
    ReplicaPoints.WITHDRAWN.reached(region);
    storage.flush();
    removeParts(region, storage.range(region).orElse(NO_KEYS), Keyspace.DATA);
    records.end(region);
    damaged.remove(region);
    LOG.atInfo()
        .addKeyValue("region", region)
        .log("Removed the replica of a region that was merged with the one before it");
  }
}
