package io.quorate.storage.merge;

import static io.quorate.storage.split.Violation.require;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.protocol.operation.Operation;
import io.quorate.storage.command.AbsorbedState;
import io.quorate.storage.command.RegionShape;
import io.quorate.storage.command.ShapeChange;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A node: the rows of all its replicas in one database, and their states. Every change of the range
 * of a replica ends the states of regions that are obsolete by it.
 */
final class MergeNode {
  /** What a command did at a position of a region. */
  record Decision(GroupId region, long index, RegionLog.Entry entry, Outcome outcome) {}

  /** Receives what a command did where it was applied first. */
  interface Decisions {
    void decided(Decision decision);
  }

  /** The state of a replica. */
  record Snapshot(MergeReplica state, Map<Key, Long> rows) {}

  private static final GroupId NO_NUMBER = new GroupId(0);

  private final RegionLogs logs;
  private final Decisions decisions;
  private final boolean inheritsAll;
  private final Optional<MergeMutation> mutation;
  private final NavigableMap<Key, Long> rows = new TreeMap<>();
  private final Map<GroupId, MergeReplica> replicas = new TreeMap<>();

  /** The regions of which the node has removed the replica for good. */
  private final Set<GroupId> ended = new HashSet<>();

  /** Replicas that should have ended, by a mutation. */
  private final List<MergeReplica> behind = new ArrayList<>();

  /** What the node knows of the topology. */
  private ModelTopology known;

  MergeNode(
      GroupId first,
      RegionLogs logs,
      Decisions decisions,
      boolean inheritsAll,
      Optional<MergeMutation> mutation) {
    this.inheritsAll = inheritsAll;
    this.logs = logs;
    this.decisions = decisions;
    this.mutation = mutation;
    this.known = ModelTopology.of(first);
    replicas.put(
        first,
        new MergeReplica(first, RegionShape.initial(first, KeyRange.ALL), inheritsAll, mutation));
  }

  private boolean is(MergeMutation expected) {
    return mutation.equals(Optional.of(expected));
  }

  Map<GroupId, MergeReplica> replicas() {
    return replicas;
  }

  ModelTopology known() {
    return known;
  }

  void learn(ModelTopology topology) {
    known = topology;
  }

  AbsorbedState contents(MergeReplica replica) {
    return replica.contents(rows);
  }

  /** Whether a replica has applied its whole log. */
  boolean isNewest(MergeReplica replica) {
    return replica.applied == logs.of(replica.region).newest();
  }

  /**
   * Applies the next command of a region.
   *
   * @return whether a command was applied: not if there is none, or if another region has the keys
   *     that it receives
   */
  boolean apply(MergeReplica replica) {
    if (isNewest(replica)) {
      return false;
    }
    RegionLog.Entry entry = logs.of(replica.region).entry(replica.applied + 1);
    Operation operation = entry.command().operation();
    Optional<Outcome> outcome =
        switch (operation.kind()) {
          case INCREMENT ->
              Optional.of(
                  replica.increment(entry.command().tag(), (Operation.Increment) operation, rows));
          case EXPIRE_SESSIONS -> Optional.of(replica.expire((Operation.ExpireSessions) operation));
          case END_SESSION -> Optional.of(replica.end(entry.command()));
          default -> reshape(replica, (Operation.OnRange) operation);
        };
    if (outcome.isEmpty()) {
      return false;
    }
    if (logs.applied(replica, operation, outcome.get())) {
      decisions.decided(new Decision(replica.region, replica.applied + 1L, entry, outcome.get()));
    }
    replica.applied++;
    if (outcome.get() == Outcome.RESHAPED) {
      requireDisjoint();
    }
    return true;
  }

  /** Applies the logs of replicas that should have ended. */
  void applyBehind() {
    List.copyOf(behind).forEach(this::apply);
  }

  private Optional<Outcome> reshape(MergeReplica replica, Operation.OnRange operation) {
    ShapeChange change = ShapeChange.of(operation, compared(operation, replica.shape));
    if (!change.takesEffect()) {
      return Optional.of(Outcome.UNCHANGED);
    }
    if (operation instanceof Operation.Absorb absorb) {
      Map<GroupId, Key> truth = logs.obsoleteAfter(replica, absorb);
      Optional<List<MergeReplica>> obsolete = obsolete(replica.region, change.after(), truth);
      if (obsolete.isEmpty()) {
        return Optional.empty();
      }
      obsolete.get().forEach(this::end);
      ModelKeys.in(rows, absorb.range()).clear();
      for (AbsorbedState.Row row : change.absorbed().orElseThrow().rows()) {
        rows.put(row.key(), row.value().getLong(row.value().position()));
      }
      replica.absorbSessions(change.absorbed().orElseThrow());
    } else if (operation instanceof Operation.Split split) {
      require(!replicas.containsKey(split.child()), () -> "a child begins once on a node");
      RegionShape shape = replica.shape.childOf(replica.region, split, 0);
      MergeReplica child = new MergeReplica(split.child(), shape, inheritsAll, mutation);
      replica.copySessionsTo(child);
      replicas.put(child.region, child);
    }
    replica.shape = change.after();
    return Optional.of(Outcome.RESHAPED);
  }

  /** The shape with which a command is compared: without its number, by a mutation. */
  private RegionShape compared(Operation operation, RegionShape shape) {
    boolean isIgnored =
        (operation instanceof Operation.Absorb && is(MergeMutation.LATE_ABSORB_APPLIES))
            || (operation instanceof Operation.Freeze && is(MergeMutation.LATE_FREEZE_APPLIES));
    return isIgnored
        ? new RegionShape(
            shape.range(), NO_NUMBER, shape.parent(), shape.inheritedEpoch(), shape.isFrozen())
        : shape;
  }

  /**
   * The replicas here that end when a region receives a shape; empty if it may not, because a
   * region that is not obsolete has keys of it.
   *
   * @param truth the regions that are obsolete by that state, with their first keys
   */
  private Optional<List<MergeReplica>> obsolete(
      GroupId region, RegionShape shape, Map<GroupId, Key> truth) {
    List<MergeReplica> obsolete = new ArrayList<>();
    for (MergeReplica other : replicas.values()) {
      KeyRange range = other.shape.range();
      if (other.region.equals(region) || range.intersect(shape.range()).isEmpty()) {
        continue;
      }
      boolean isInside =
          shape.range().contains(range.start()) && !range.start().equals(shape.range().start());
      boolean isObsolete =
          is(MergeMutation.NUMBERS_NOT_COMPARED)
              ? isInside
              : shape.hasAbsorbed(other.region, range.start());
      require(
          isObsolete == (isInside && truth.containsKey(other.region)),
          () -> "region " + region + " ends " + other.region + " exactly if it is obsolete");
      if (!isObsolete) {
        return Optional.empty();
      }
      obsolete.add(other);
    }
    return Optional.of(obsolete);
  }

  private void end(MergeReplica obsolete) {
    ModelKeys.in(rows, obsolete.shape.range()).clear();
    replicas.remove(obsolete.region);
    if (is(MergeMutation.REPLICA_BEHIND_KEEPS_WRITING)) {
      behind.add(obsolete);
    }
  }

  Snapshot snapshot(MergeReplica replica) {
    return new Snapshot(replica.copy(), new TreeMap<>(ModelKeys.in(rows, replica.shape.range())));
  }

  /** Whether a snapshot is later than what the node has; it may be refused all the same. */
  boolean isLater(Snapshot snapshot) {
    GroupId region = snapshot.state().region;
    return replicas.containsKey(region)
        ? replicas.get(region).applied < snapshot.state().applied
        : known.region(region).isPresent() && !ended.contains(region);
  }

  /** Installs a snapshot that {@linkplain #isLater is later}, unless others have its keys here. */
  void install(Snapshot snapshot) {
    MergeReplica state = snapshot.state().copy();
    MergeReplica present = replicas.get(state.region);
    require(
        present == null || present.shape.mayBecome(state.shape),
        () -> "a later state of region " + state.region + " may follow");
    Map<GroupId, Key> truth = logs.of(state.region).obsoleteAt(state.applied);
    Optional<List<MergeReplica>> obsolete = obsolete(state.region, state.shape, truth);
    if (obsolete.isPresent()) {
      obsolete.get().forEach(this::end);
      if (present != null) {
        ModelKeys.in(rows, present.shape.range()).clear();
      }
      ModelKeys.in(rows, state.shape.range()).clear();
      rows.putAll(snapshot.rows());
      replicas.put(state.region, state);
      requireDisjoint();
    }
  }

  /** Removes the replicas of regions that are not in the topology any more. */
  void removeAbsorbed() {
    for (MergeReplica replica : List.copyOf(replicas.values())) {
      if (known.isAbsorbed(replica.region) && !isAwaited(replica)) {
        ModelKeys.in(rows, replica.shape.range()).clear();
        replicas.remove(replica.region);
        ended.add(replica.region);
      }
    }
  }

  /** Whether the region below has yet to apply splits or merges, and may receive the keys. */
  private boolean isAwaited(MergeReplica replica) {
    Key start = replica.shape.range().start();
    Optional<MergeReplica> below =
        replicas.values().stream()
            .filter(each -> each.shape.range().start().compareTo(start) < 0)
            .max(Comparator.comparing(each -> each.shape.range().start()));
    return below.isPresent() && isBehind(below.get());
  }

  private boolean isBehind(MergeReplica replica) {
    return known
        .region(replica.region)
        .map(assigned -> replica.shape.newestChange().compareTo(assigned.newestChange()) < 0)
        .orElse(true);
  }

  private void requireDisjoint() {
    for (MergeReplica one : replicas.values()) {
      for (MergeReplica other : replicas.values()) {
        require(
            one == other || one.shape.range().intersect(other.shape.range()).isEmpty(),
            () -> "regions " + one.region + " and " + other.region + " overlap on a node");
      }
    }
  }

  /** Requires that reads at the newest positions return every increment that has taken effect. */
  void requireNewest(ModelHistory history) {
    for (MergeReplica replica : replicas.values()) {
      if (isNewest(replica)) {
        requireNewest(replica, history);
      }
    }
  }

  private void requireNewest(MergeReplica replica, ModelHistory history) {
    for (int key = 1; key <= ModelKeys.COUNT; key++) {
      int number = key;
      if (replica.shape.keys().contains(ModelKeys.key(key))) {
        require(
            rows.getOrDefault(ModelKeys.key(key), 0L) == history.executed(key),
            () ->
                "a read of key "
                    + number
                    + " at the newest position of region "
                    + replica.region
                    + " returns every increment");
      }
    }
  }

  /** Requires, when every write has ended, that the sums are exact. */
  void requireExact(ModelHistory history) {
    for (int key = 1; key <= ModelKeys.COUNT; key++) {
      history.requireExact(key, rows.getOrDefault(ModelKeys.key(key), 0L));
    }
  }
}
