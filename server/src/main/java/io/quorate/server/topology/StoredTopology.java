package io.quorate.server.topology;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The topology of a cluster as it is stored in region 0. Immutable.
 *
 * @param founding a random id of the cluster, by which another one with its name is told from it
 * @param version increases with every change
 * @param nodes every node of the cluster
 * @param metadata the assignment of region 0
 * @param regions the assignments of the regions with data
 * @param replicas the number of replicas that a region with data is to have
 */
public record StoredTopology(
    ClusterId cluster,
    UUID founding,
    TopologyVersion version,
    List<NodeEntry> nodes,
    RegionAssignment metadata,
    RegionTable regions,
    int replicas) {
  public StoredTopology {
    nodes = List.copyOf(nodes);
  }

  public Optional<NodeEntry> node(NodeId id) {
    return nodes.stream().filter(node -> node.id().equals(id)).findFirst();
  }

  /** The assignments of all regions, that of region 0 first, then in key order. */
  public List<RegionAssignment> assignments() {
    List<RegionAssignment> all = new ArrayList<>();
    all.add(metadata);
    all.addAll(regions.regions());
    return all;
  }

  /** The assignment of a region, region 0 included. */
  public Optional<RegionAssignment> assignment(GroupId id) {
    return id.equals(RegionAssignment.METADATA) ? Optional.of(metadata) : regions.byId(id);
  }

  /** The next version, with another description of a region that there is. */
  public StoredTopology with(RegionAssignment changed) {
    boolean isMetadata = changed.id().equals(RegionAssignment.METADATA);
    return new StoredTopology(
        cluster,
        founding,
        version.next(),
        nodes,
        isMetadata ? changed : metadata,
        isMetadata ? regions : regions.with(changed),
        replicas);
  }

  /** The next version, with other descriptions of two regions with data that there are. */
  public StoredTopology with(RegionAssignment first, RegionAssignment second) {
    return new StoredTopology(
        cluster,
        founding,
        version.next(),
        nodes,
        metadata,
        regions.with(first).with(second),
        replicas);
  }

  /**
   * The same version as it is where planned splits and merges are in force already.
   *
   * @param children the regions that have begun by splits
   * @param merges the numbers of merges
   */
  public StoredTopology whereInForce(Set<GroupId> children, Set<GroupId> merges) {
    if (children.isEmpty() && merges.isEmpty()) {
      return this;
    }
    return new StoredTopology(
        cluster,
        founding,
        version,
        nodes,
        metadata,
        regions.divided(children).merged(merges),
        replicas);
  }

  /** The next version, in which the planned split of a region is complete. */
  public StoredTopology divided(GroupId region) {
    GroupId child = regions.byId(region).flatMap(RegionAssignment::split).orElseThrow().child();
    return new StoredTopology(
        cluster,
        founding,
        version.next(),
        nodes,
        metadata,
        regions.divided(Set.of(child)),
        replicas);
  }

  /** The next version, in which a planned merge is complete. */
  public StoredTopology merged(PlannedMerge merge) {
    return new StoredTopology(
        cluster,
        founding,
        version.next(),
        nodes,
        metadata,
        regions.merged(Set.of(merge.number())),
        replicas);
  }

  /** The next version, in which a planned merge is given up. */
  public StoredTopology unmerged(PlannedMerge merge) {
    return with(
        regions.byId(merge.into()).orElseThrow().unmerged(),
        regions.byId(merge.absorbed()).orElseThrow().unmerged());
  }

  /** The number of the next region or merge: greater than every one that was ever planned. */
  public GroupId nextNumber() {
    return new GroupId(greatestNumber().value() + 1);
  }

  /**
   * Whether a region was absorbed by another one, and will never be again: its number was used, and
   * no region has it or is planned to have it.
   */
  public boolean isAbsorbed(GroupId region) {
    return assignment(region).isEmpty()
        && region.compareTo(greatestNumber()) <= 0
        && regions.regions().stream()
            .noneMatch(
                each -> each.split().filter(planned -> planned.child().equals(region)).isPresent());
  }

  /** A region that absorbs another one has a greater number from then on. */
  private GroupId greatestNumber() {
    return regions.regions().stream()
        .map(RegionAssignment::greatestNumber)
        .max(Comparator.naturalOrder())
        .orElseThrow();
  }

  /** The next version, with a new node or another description of one. */
  public StoredTopology with(NodeEntry changed) {
    List<NodeEntry> all = new ArrayList<>(nodes);
    int index = nodes.stream().map(NodeEntry::id).toList().indexOf(changed.id());
    if (index < 0) {
      all.add(changed);
    } else {
      all.set(index, changed);
    }
    return new StoredTopology(cluster, founding, version.next(), all, metadata, regions, replicas);
  }

  /** The next version, without a node that has no replica. */
  public StoredTopology without(NodeId node) {
    return new StoredTopology(
        cluster,
        founding,
        version.next(),
        nodes.stream().filter(each -> !each.id().equals(node)).toList(),
        metadata,
        regions,
        replicas);
  }
}
