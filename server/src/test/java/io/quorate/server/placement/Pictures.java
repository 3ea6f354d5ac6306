package io.quorate.server.placement;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import io.quorate.server.config.ClusterId;
import io.quorate.server.config.ClusterNode;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.placement.ClusterPicture.SplitProposal;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.RegionTable;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Pictures of clusters whose nodes n1, n2 and so on all respond. */
final class Pictures {
  private final List<NodeEntry> nodes = new ArrayList<>();
  private final List<RegionAssignment> regions = new ArrayList<>();
  private final int replicas;
  private RegionAssignment metadata;

  /**
   * @param replicas the number of replicas that a region is to have
   */
  Pictures(int replicas) {
    this.replicas = replicas;
  }

  static NodeId node(int number) {
    return new NodeId("n" + number);
  }

  static UUID disk(int number) {
    return new UUID(0, number);
  }

  Pictures nodes(int count) {
    for (int i = 1; i <= count; i++) {
      node(i, false);
    }
    return this;
  }

  Pictures node(int number, boolean isDraining, String... labels) {
    nodes.add(entry(number, isDraining, labels));
    return this;
  }

  static NodeEntry entry(int number, boolean isDraining, String... labels) {
    return new NodeEntry(
        new ClusterNode(
            node(number),
            "h" + number,
            7000 + number,
            7100 + number,
            7200 + number,
            List.of(labels)),
        Optional.of(disk(number)),
        isDraining,
        RangeSupport.SPLITS);
  }

  Pictures metadata(int... on) {
    metadata = new RegionAssignment(new GroupId(0), KeyRange.ALL, RegionEpoch.FIRST, ids(on));
    return this;
  }

  /** The next region, in key order. */
  Pictures region(int... on) {
    int id = regions.size() + 1;
    Key start = id == 1 ? Key.EMPTY : key(id);
    regions.add(
        new RegionAssignment(
            new GroupId(id),
            new KeyRange(start, Optional.of(key(id + 1))),
            RegionEpoch.FIRST,
            ids(on)));
    return this;
  }

  private static Key key(int number) {
    return Key.utf8("%06d".formatted(number));
  }

  private static List<NodeId> ids(int... numbers) {
    return IntStream.of(numbers).mapToObj(Pictures::node).toList();
  }

  StoredTopology topology() {
    List<RegionAssignment> all = new ArrayList<>(regions);
    RegionAssignment last = all.remove(all.size() - 1);
    all.add(
        new RegionAssignment(
            last.id(), KeyRange.from(last.range().start()), last.epoch(), last.replicas()));
    return new StoredTopology(
        new ClusterId("c"),
        new UUID(0, 1),
        TopologyVersion.FIRST,
        nodes,
        metadata,
        new RegionTable(all),
        replicas);
  }

  /** That with so many regions, on the nodes in turn. */
  StoredTopology topologyOf(int count) {
    for (int i = 0; i < count; i++) {
      int first = i;
      region(IntStream.range(0, replicas).map(k -> 1 + (first + k) % nodes.size()).toArray());
    }
    return topology();
  }

  ClusterPicture picture() {
    return of(topology());
  }

  static ClusterPicture of(StoredTopology topology) {
    Set<NodeId> all = new HashSet<>(topology.nodes().stream().map(NodeEntry::id).toList());
    return new ClusterPicture(
        topology, all, Map.of(), Map.of(), Map.of(), Set.of(), Map.of(), Map.of(), Map.of(),
        Map.of(), Set.of());
  }

  /** The picture in which regions with so many bytes report where they would be split. */
  static ClusterPicture large(
      StoredTopology topology, Map<GroupId, Long> rowBytes, Map<GroupId, Key> splitKeys) {
    return proposed(
        topology,
        rowBytes,
        splitKeys.entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey,
                    each ->
                        new SplitProposal(
                            Optional.of(each.getValue()),
                            Optional.empty(),
                            rowBytes.get(each.getKey())))));
  }

  static ClusterPicture proposed(
      StoredTopology topology, Map<GroupId, Long> rowBytes, Map<GroupId, SplitProposal> proposals) {
    return new ClusterPicture(
        topology,
        of(topology).responding(),
        Map.of(),
        rowBytes,
        proposals,
        Set.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        Set.of());
  }

  /** A configuration with the defaults for everything else. */
  static PlacementConfig config(PlacementConfig.Policy policy, PlacementConfig.SplitRule splits) {
    return new PlacementConfig(
        policy,
        4,
        16,
        Duration.ofMinutes(1),
        splits,
        new PlacementConfig.DeviceConfig(
            Optional.empty(),
            Optional.empty(),
            Duration.ZERO,
            Optional.empty(),
            Duration.ofMillis(100),
            Duration.ofSeconds(30)));
  }

  /** The same while a node does not respond. */
  static ClusterPicture down(ClusterPicture picture, int node) {
    Set<NodeId> responding = new HashSet<>(picture.responding());
    responding.remove(node(node));
    return with(picture, responding, picture.refusing());
  }

  private static ClusterPicture with(
      ClusterPicture picture, Set<NodeId> responding, Set<NodeId> refusing) {
    return new ClusterPicture(
        picture.topology(),
        responding,
        picture.leaders(),
        picture.rowBytes(),
        picture.proposals(),
        picture.lost(),
        picture.devices(),
        picture.rates(),
        picture.completeBodies(),
        picture.unsplit(),
        refusing);
  }

  /** The picture in which nodes report that they have lost their replicas of a region. */
  static ClusterPicture lost(StoredTopology topology, GroupId region, int... nodes) {
    RegionEpoch epoch = topology.assignment(region).orElseThrow().epoch();
    return new ClusterPicture(
        topology,
        of(topology).responding(),
        Map.of(),
        Map.of(),
        Map.of(),
        IntStream.of(nodes)
            .mapToObj(node -> new ClusterPicture.LostReplica(region, node(node), epoch))
            .collect(Collectors.toSet()),
        Map.of(),
        Map.of(),
        Map.of(),
        Map.of(),
        Set.of());
  }

  /** The picture with the first replica of each region as its leader. */
  static ClusterPicture led(StoredTopology topology) {
    return measured(topology, Map.of(), Map.of(), Map.of());
  }

  /** The same picture with other leaders. */
  static ClusterPicture led(ClusterPicture picture, Map<GroupId, NodeId> leaders) {
    return new ClusterPicture(
        picture.topology(),
        picture.responding(),
        leaders,
        picture.rowBytes(),
        picture.proposals(),
        picture.lost(),
        picture.devices(),
        picture.rates(),
        picture.completeBodies(),
        picture.unsplit(),
        picture.refusing());
  }

  /**
   * The picture of led regions with the devices of nodes, the sizes of regions and the rates of
   * their requests.
   */
  static ClusterPicture measured(
      StoredTopology topology,
      Map<NodeId, NodeDevice> devices,
      Map<GroupId, Long> rowBytes,
      Map<GroupId, Double> rates) {
    return new ClusterPicture(
        topology,
        of(topology).responding(),
        topology.assignments().stream()
            .collect(Collectors.toMap(RegionAssignment::id, region -> region.replicas().get(0))),
        rowBytes,
        Map.of(),
        Set.of(),
        devices,
        rates,
        Map.of(),
        Map.of(),
        Set.of());
  }

  /** The same picture with what replicas hold of large values. */
  static ClusterPicture coded(
      ClusterPicture picture, Map<GroupId, Map<NodeId, Long>> completeBodies) {
    return new ClusterPicture(
        picture.topology(),
        picture.responding(),
        picture.leaders(),
        picture.rowBytes(),
        picture.proposals(),
        picture.lost(),
        picture.devices(),
        picture.rates(),
        completeBodies,
        picture.unsplit(),
        picture.refusing());
  }

  /** The same picture with what the nodes that respond report as open. */
  static ClusterPicture open(ClusterPicture picture, Map<NodeId, Set<GroupId>> openByNode) {
    return new ClusterPicture(
        picture.topology(),
        openByNode.keySet(),
        picture.leaders(),
        picture.rowBytes(),
        picture.proposals(),
        picture.lost(),
        picture.devices(),
        picture.rates(),
        picture.completeBodies(),
        ClusterPicture.unsplit(picture.topology(), openByNode, picture.lost()),
        picture.refusing());
  }

  /** The same picture with nodes that do not accept writes. */
  static ClusterPicture refusing(ClusterPicture picture, int... nodes) {
    return with(picture, picture.responding(), Set.copyOf(ids(nodes)));
  }
}
