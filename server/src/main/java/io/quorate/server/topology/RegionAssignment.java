package io.quorate.server.topology;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A region as it is stored: the range of its keys and the nodes to which its replicas are assigned.
 * Does not contain the leader.
 *
 * @param id the number of the region and of its consensus group
 * @param epoch increases with every change of the others
 * @param replicas the nodes with a replica, the preferred leader first; never empty. While a change
 *     is planned, the group may have its members before or after it.
 * @param change the planned change of replicas, until the group has the members after it
 * @param split the planned split, until the region has divided. No change of replicas is planned at
 *     the same time, so both regions begin with the same replicas
 * @param merge the planned merge with a neighbour, which has the same replicas and the same plan.
 *     Nothing else is planned at the same time
 * @param newestChange the greatest number of a split or merge of the region that is complete; its
 *     id before the first one. A replica with an older one has yet to apply it
 */
public record RegionAssignment(
    GroupId id,
    KeyRange range,
    RegionEpoch epoch,
    List<NodeId> replicas,
    Optional<ReplicaChange> change,
    Optional<PlannedSplit> split,
    Optional<PlannedMerge> merge,
    GroupId newestChange) {
  /** The region that holds the cluster's metadata, and no client's keys. */
  public static final GroupId METADATA = new GroupId(0);

  public RegionAssignment {
    replicas = List.copyOf(replicas);
    if (replicas.isEmpty() || new HashSet<>(replicas).size() != replicas.size()) {
      throw new IllegalArgumentException(
          "Region " + id + " has at least one replica, each on another node: " + replicas);
    }
    if (change.isPresent() && !isPossible(change.get(), replicas)) {
      throw new IllegalArgumentException(
          "Region "
              + id
              + " has replicas on "
              + replicas
              + ", to which no "
              + change.get()
              + " is");
    }
    if (split.isPresent() && (change.isPresent() || !isWithin(split.get(), id, range))) {
      throw new IllegalArgumentException(
          "Region " + id + " with the keys " + range + " cannot have the planned " + split.get());
    }
    if (merge.isPresent() && (change.isPresent() || split.isPresent() || !isOf(merge.get(), id))) {
      throw new IllegalArgumentException(
          "Region " + id + " cannot have the planned " + merge.get() + " beside another plan");
    }
  }

  /** With nothing planned. */
  public RegionAssignment(GroupId id, KeyRange range, RegionEpoch epoch, List<NodeId> replicas) {
    this(id, range, epoch, replicas, Optional.empty(), Optional.empty(), Optional.empty(), id);
  }

  private static boolean isOf(PlannedMerge merge, GroupId id) {
    return id.equals(merge.absorbed()) || id.equals(merge.into());
  }

  private static boolean isWithin(PlannedSplit split, GroupId id, KeyRange range) {
    return !id.equals(METADATA)
        && split.child().compareTo(id) > 0
        && range.contains(split.at())
        && !split.at().equals(range.start());
  }

  /** Whether nothing is planned. */
  public boolean isStable() {
    return change.isEmpty() && split.isEmpty() && merge.isEmpty();
  }

  /** For messages: what is planned, as a noun with its article; empty if nothing is. */
  public Optional<String> underWay() {
    return change
        .map(planned -> "A " + planned + " of a replica of region " + id)
        .or(() -> split.map(planned -> "A split of region " + id + " at " + planned.at()))
        .or(
            () ->
                merge.map(
                    planned ->
                        "A merge of regions " + planned.into() + " and " + planned.absorbed()));
  }

  private static boolean isPossible(ReplicaChange change, List<NodeId> replicas) {
    if (change.isWithdrawal(replicas)) {
      return true;
    }
    return change.to().isPresent()
        ? change.from().map(replicas::contains).orElse(true)
            && !replicas.contains(change.to().get())
        : replicas.size() > 1;
  }

  public boolean isOn(NodeId node) {
    return replicas.contains(node);
  }

  /**
   * The node that is to receive a replica by the planned change; empty if it has one, which was to
   * be removed and stays.
   */
  public Optional<NodeId> receiver() {
    return change.flatMap(ReplicaChange::to).filter(node -> !isOn(node));
  }

  /** Whether the node is to receive a replica by the planned change. */
  public boolean isJoinedBy(NodeId node) {
    return receiver().equals(Optional.of(node));
  }

  /** The node whose replica is to be removed, without another one in its place. */
  public Optional<NodeId> removed() {
    return change
        .filter(planned -> planned.to().isEmpty())
        .flatMap(ReplicaChange::from)
        .filter(this::isOn);
  }

  /** Whether the planned change takes another one back. */
  public boolean isTakenBack() {
    return change.filter(planned -> planned.isWithdrawal(replicas)).isPresent();
  }

  /** Whether the node has a replica, or may have one until the planned change is complete. */
  public boolean concerns(NodeId node) {
    return isOn(node)
        || change.filter(planned -> planned.isTo(node) || planned.isFrom(node)).isPresent();
  }

  /** The nodes with a replica after the planned change; the present ones if none is planned. */
  public List<NodeId> replicasAfterChange() {
    if (change.isEmpty() || isTakenBack()) {
      return replicas;
    }
    Optional<NodeId> from = change.get().from();
    Optional<NodeId> to = change.get().to();
    List<NodeId> after = new ArrayList<>(replicas);
    if (from.isEmpty()) {
      after.add(to.orElseThrow());
    } else if (to.isEmpty()) {
      after.remove(from.get());
    } else {
      after.set(after.indexOf(from.get()), to.get());
    }
    return after;
  }

  /**
   * The next epoch of the region, in which a change is planned.
   *
   * @throws IllegalArgumentException if the change does not apply to the present replicas, or would
   *     leave none
   */
  public RegionAssignment planned(ReplicaChange planned) {
    if (planned.from().isEmpty() && isOn(planned.to().orElseThrow())) {
      throw new IllegalArgumentException(
          "Region " + id + " has a replica on " + planned.to().get());
    }
    return with(Optional.of(planned), Optional.empty(), Optional.empty());
  }

  /** The next epoch, with another plan or none. */
  private RegionAssignment with(
      Optional<ReplicaChange> nextChange,
      Optional<PlannedSplit> nextSplit,
      Optional<PlannedMerge> nextMerge) {
    return new RegionAssignment(
        id, range, epoch.next(), replicas, nextChange, nextSplit, nextMerge, newestChange);
  }

  /**
   * The nodes that the members of the group are to be on after the planned change. If that takes a
   * change back, the group may have made the former by then, and the member it was to lose may be
   * dead: what it has become stays. That is so as well if it has lost that one before it received
   * the other.
   *
   * @param members the nodes of its present members
   */
  public List<NodeId> wanted(List<NodeId> members) {
    if (!isTakenBack() || members.isEmpty() || members.containsAll(replicas)) {
      return replicasAfterChange();
    }
    List<NodeId> staying = new ArrayList<>(replicas);
    staying.retainAll(members);
    members.stream().filter(node -> !staying.contains(node)).forEach(staying::add);
    return staying;
  }

  /**
   * The next epoch of the region, in which the planned change is complete.
   *
   * @param members the nodes of the group's members after it
   */
  public RegionAssignment changed(List<NodeId> members) {
    return stable(range, epoch.next(), wanted(members), newestChange);
  }

  /** As {@link #changed(List)}, with the members that were planned. */
  public RegionAssignment changed() {
    return changed(replicasAfterChange());
  }

  private RegionAssignment stable(
      KeyRange keys, RegionEpoch at, List<NodeId> nodes, GroupId newest) {
    return new RegionAssignment(
        id, keys, at, nodes, Optional.empty(), Optional.empty(), Optional.empty(), newest);
  }

  /**
   * The next epoch of the region, in which the planned addition or removal of a replica is taken
   * back: the group is to have {@linkplain #wanted the present members}, whether or not it has made
   * the change meanwhile.
   *
   * @throws java.util.NoSuchElementException if none is planned, or it is taken back already
   */
  public RegionAssignment withdrawn() {
    ReplicaChange former = change.filter(planned -> !isTakenBack()).orElseThrow();
    ReplicaChange back =
        former
            .to()
            .map(ReplicaChange::remove)
            .orElseGet(() -> ReplicaChange.add(former.from().orElseThrow()));
    return with(Optional.of(back), Optional.empty(), Optional.empty());
  }

  /**
   * The next epoch of the region, in which a split is planned.
   *
   * @throws IllegalArgumentException if the key is not within the region, or is its first one, or
   *     the number of the child is not greater than that of the region
   */
  public RegionAssignment planned(PlannedSplit planned) {
    return with(Optional.empty(), Optional.of(planned), Optional.empty());
  }

  /**
   * The next epoch of the region, in which the planned split is complete.
   *
   * @throws java.util.NoSuchElementException if none is planned
   */
  public RegionAssignment divided() {
    PlannedSplit planned = split.orElseThrow();
    KeyRange keys = new KeyRange(range.start(), Optional.of(planned.at()));
    return stable(keys, epoch.next(), replicas, planned.child());
  }

  /**
   * The region that begins by the planned split. Its first epoch is that of the region it comes
   * from; so it is not {@link RegionEpoch#FIRST}, in which only regions are that begin empty.
   *
   * @throws java.util.NoSuchElementException if none is planned
   */
  public RegionAssignment child() {
    PlannedSplit planned = split.orElseThrow();
    return new RegionAssignment(
        planned.child(), new KeyRange(planned.at(), range.end()), epoch.next(), replicas);
  }

  /**
   * The next epoch of the region, in which a merge with a neighbour is planned.
   *
   * @throws IllegalArgumentException if the region takes no part in the merge
   */
  public RegionAssignment planned(PlannedMerge planned) {
    return with(Optional.empty(), Optional.empty(), Optional.of(planned));
  }

  /** Whether the region is to be absorbed by the one before it. */
  public boolean isToBeAbsorbed() {
    return merge.filter(planned -> planned.absorbed().equals(id)).isPresent();
  }

  /**
   * The next epoch of the region after the one that it absorbs, too, in which the planned merge is
   * complete.
   *
   * @param other the region that it has absorbed
   * @throws java.util.NoSuchElementException if no merge is planned
   */
  public RegionAssignment merged(RegionAssignment other) {
    KeyRange keys = new KeyRange(range.start(), other.range.end());
    RegionEpoch later = epoch.compareTo(other.epoch) >= 0 ? epoch : other.epoch;
    return stable(keys, later.next(), replicas, merge.orElseThrow().number());
  }

  /**
   * The next epoch of the region, in which the planned merge is given up. Of the two regions, the
   * one that was to be absorbed has its number then.
   *
   * @throws java.util.NoSuchElementException if no merge is planned
   */
  public RegionAssignment unmerged() {
    return stable(
        range,
        epoch.next(),
        replicas,
        isToBeAbsorbed() ? merge.orElseThrow().number() : newestChange);
  }

  /** The greatest number that the region or anything planned for it has. */
  GroupId greatestNumber() {
    return Stream.of(
            Optional.of(newestChange),
            Optional.of(id),
            split.map(PlannedSplit::child),
            merge.map(PlannedMerge::number))
        .flatMap(Optional::stream)
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** The node that should lead if several can. */
  public NodeId preferredLeader() {
    return replicas.get(0);
  }
}
