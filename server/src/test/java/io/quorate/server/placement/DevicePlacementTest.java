package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Replicas under the policy {@code alor}. */
class DevicePlacementTest {
  private static final int SEEDS = 300;
  private static final long MIB = 1 << 20;

  private static NodeDevice device(double speed, long capacityBytes) {
    return new NodeDevice(speed, capacityBytes, false);
  }

  private static NodeDevice slow(double speed) {
    return new NodeDevice(speed, Long.MAX_VALUE, true);
  }

  /** The configuration 1N2H3P of the paper with its capacities, 24 regions of equal size. */
  private static ClusterPicture paper(long bytesOfRegion) {
    Pictures pictures = new Pictures(3).nodes(6).metadata(1, 2, 3, 4, 5);
    Map<GroupId, Long> bytes = new HashMap<>();
    for (int i = 0; i < 24; i++) {
      pictures.region(1 + i % 6, 1 + (i + 1) % 6, 1 + (i + 2) % 6);
      bytes.put(new GroupId(i + 1), bytesOfRegion);
    }
    Map<NodeId, NodeDevice> devices = new HashMap<>();
    double[] speeds = {3.4, 2.4, 2.4, 1, 1, 1};
    for (int i = 1; i <= 6; i++) {
      devices.put(node(i), device(speeds[i - 1], 192 * MIB));
    }
    return Pictures.measured(pictures.topology(), devices, bytes, Map.of());
  }

  private static Map<String, Integer> replicas(StoredTopology topology) {
    Map<String, Integer> counts = new TreeMap<>();
    for (RegionAssignment region : topology.regions().regions()) {
      region.replicas().forEach(node -> counts.merge(node.value(), 1, Integer::sum));
    }
    return counts;
  }

  private static StoredTopology last(ClusterPicture picture, Policy policy) {
    StoredTopology topology = picture.topology();
    for (RegionChange change : ReplicaPlacement.predict(picture, policy)) {
      topology = change.completed(topology);
    }
    return topology;
  }

  /** 72 replicas in proportion to 3.4 : 2.4 : 2.4 : 1 : 1 : 1, at most 24 on a node. */
  @Test
  void replicasAreInProportionToTheSpeeds() {
    assertThat(replicas(last(paper(MIB), Policy.ALOR)))
        .isEqualTo(Map.of("n1", 21, "n2", 15, "n3", 15, "n4", 7, "n5", 7, "n6", 7));
    assertThat(replicas(last(paper(MIB), Policy.LMO)))
        .isEqualTo(Map.of("n1", 12, "n2", 12, "n3", 12, "n4", 12, "n5", 12, "n6", 12));
  }

  /** What moves first, and why. */
  @Test
  void theFirstMovesLeaveTheSlowestDevices() {
    List<RegionChange> first = ReplicaPlacement.predict(paper(MIB), Policy.ALOR).subList(0, 3);
    assertThat(first)
        .extracting(change -> change.region() + ": " + change.change() + ", " + change.reason())
        .containsExactly(
            "2: move from n4 to n1, n4 holds 1.87 of its share and n1 0.55; 1.71 and 0.59 afterwards",
            "3: move from n5 to n1, n5 holds 1.87 of its share and n1 0.59; 1.71 and 0.64 afterwards",
            "4: move from n6 to n1, n6 holds 1.87 of its share and n1 0.64; 1.71 and 0.69 afterwards");
  }

  /** As in the paper, all nodes are full in the end, and then hold equally much. */
  @Test
  void aNodeThatIsNearlyFullReceivesNothing() {
    long ofRegion = 10 * MIB;
    StoredTopology topology = last(paper(ofRegion), Policy.ALOR);
    assertThat(replicas(topology).values()).allMatch(count -> count * ofRegion <= 0.9 * 192 * MIB);
    assertThat(replicas(topology)).containsEntry("n1", 17);
  }

  @Test
  void theColdestRegionLeavesAFullNode() {
    StoredTopology topology =
        new Pictures(1).nodes(2).metadata(1).region(1).region(1).region(1).topology();
    Map<GroupId, Long> bytes = new HashMap<>();
    IntStream.rangeClosed(1, 3).forEach(id -> bytes.put(new GroupId(id), 32 * MIB));
    Map<GroupId, Double> rates =
        Map.of(new GroupId(1), 90.0, new GroupId(2), 1.0, new GroupId(3), 50.0);
    Map<NodeId, NodeDevice> devices =
        Map.of(node(1), device(1000, 100 * MIB), node(2), device(1, 100 * MIB));
    List<RegionChange> changes =
        ReplicaPlacement.predict(Pictures.measured(topology, devices, bytes, rates), Policy.ALOR);
    assertThat(changes)
        .containsExactly(
            new RegionChange(
                new GroupId(2),
                ReplicaChange.move(node(1), node(2)),
                "n1 holds 96 % of its capacity"));
  }

  @Test
  void noReplicaMovesBackWhereMeasurementsVary() {
    StoredTopology topology = new Pictures(1).nodes(2).metadata(1).region(1).region(2).topology();
    Map<GroupId, Long> bytes = Map.of(new GroupId(1), 100 * MIB, new GroupId(2), 108 * MIB);
    Map<NodeId, NodeDevice> devices =
        Map.of(node(1), device(10, 1000 * MIB), node(2), device(10.5, 1000 * MIB));
    assertThat(
            ReplicaPlacement.predict(
                Pictures.measured(topology, devices, bytes, Map.of()), Policy.ALOR))
        .isEmpty();
  }

  @Test
  void aReplicaLeavesASlowMajority() {
    StoredTopology topology =
        new Pictures(3).nodes(5).metadata(3, 4, 5, 1, 2).region(1, 2, 3).topology();
    Map<NodeId, NodeDevice> devices = Map.of(node(1), slow(1), node(2), slow(1), node(4), slow(1));
    // Region 0, with three slow devices of five, has no node to go to.
    List<RegionChange> changes =
        ReplicaPlacement.predict(
            Pictures.measured(topology, devices, Map.of(), Map.of()), Policy.ED);
    assertThat(changes)
        .extracting(RegionChange::change)
        .as("the leader's own replica stays, and n4 is slow too")
        .containsExactly(ReplicaChange.move(node(2), node(5)));
    assertThat(changes.get(0).reason()).contains("another leader does not help");
  }

  /** Region 2 began by a split of region 1, which node 2 has yet to apply. */
  @Test
  void anotherReplicaLeavesASlowMajorityWhereOneHasYetToApplyASplit() {
    GroupId one = new GroupId(1);
    GroupId two = new GroupId(2);
    StoredTopology topology =
        new Pictures(3).nodes(5).metadata(3, 4, 5, 1, 2).region(1, 2, 3).region(2, 4, 5).topology();
    Map<NodeId, NodeDevice> devices = Map.of(node(1), slow(1), node(2), slow(1));
    ClusterPicture picture = Pictures.measured(topology, devices, Map.of(), Map.of());
    Map<NodeId, Set<GroupId>> open =
        Map.of(
            node(1), Set.of(one),
            node(2), Set.of(one),
            node(3), Set.of(one),
            node(4), Set.of(two),
            node(5), Set.of());
    assertThat(ReplicaPlacement.next(Pictures.open(picture, open), Policy.ED, 1))
        .extracting(RegionChange::change)
        .as("the leader's, since the other one stays")
        .containsExactly(ReplicaChange.move(node(1), node(4)));
  }

  @Test
  void nothingMovesForOneSlowReplica() {
    StoredTopology topology = new Pictures(3).nodes(4).metadata(2, 3, 4).region(1, 2, 3).topology();
    assertThat(
            ReplicaPlacement.predict(
                Pictures.measured(topology, Map.of(node(1), slow(9)), Map.of(), Map.of()),
                Policy.ALOR))
        .isEmpty();
  }

  /** From any cluster with any devices, the moves end, and none fills a node. */
  @Test
  void placementConverges() {
    for (long seed = 1; seed <= SEEDS; seed++) {
      converge(random(new Random(seed)), "seed " + seed);
    }
  }

  private static ClusterPicture random(Random random) {
    int nodes = 3 + random.nextInt(6);
    Pictures pictures = new Pictures(3).nodes(nodes).metadata(1, 2, 3);
    Map<GroupId, Long> bytes = new HashMap<>();
    Map<GroupId, Double> rates = new HashMap<>();
    int regions = 1 + random.nextInt(30);
    for (int i = 1; i <= regions; i++) {
      List<Integer> on = new ArrayList<>(IntStream.rangeClosed(1, nodes).boxed().toList());
      Collections.shuffle(on, random);
      pictures.region(on.stream().limit(3).mapToInt(Integer::intValue).toArray());
      bytes.put(new GroupId(i), random.nextInt(64) * MIB);
      rates.put(new GroupId(i), random.nextDouble());
    }
    Map<NodeId, NodeDevice> devices = new HashMap<>();
    for (int i = 1; i <= nodes; i++) {
      devices.put(
          node(i),
          new NodeDevice(
              random.nextInt(30), (100 + random.nextInt(2000)) * MIB, random.nextInt(10) == 0));
    }
    return Pictures.measured(pictures.topology(), devices, bytes, rates);
  }

  private static void converge(ClusterPicture first, String seed) {
    ClusterPicture picture = first;
    for (int round = 0; ; round++) {
      assertThat(round).as(seed).isLessThan(500);
      List<RegionChange> next = ReplicaPlacement.next(picture, Policy.ALOR, 3);
      if (next.isEmpty()) {
        return;
      }
      for (RegionChange change : next) {
        NodeId to = change.change().to().orElseThrow();
        picture = picture.with(change.completed(picture.topology()));
        NodeLoads after = NodeLoads.of(picture, Policy.ALOR);
        if (change.change().from().isPresent()) {
          assertThat(after.isFull(to) || picture.device(to).isSlow())
              .as("%s: %s", seed, change)
              .isFalse();
        }
      }
      for (RegionAssignment region : picture.topology().assignments()) {
        assertThat(new HashSet<>(region.replicas())).hasSameSizeAs(region.replicas());
      }
    }
  }
}
