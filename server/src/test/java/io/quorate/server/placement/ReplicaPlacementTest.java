package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.NodeEntry;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ReplicaPlacementTest {
  private static final int SEEDS = 300;

  private static Map.Entry<GroupId, ReplicaChange> change(int region, ReplicaChange change) {
    return Map.entry(new GroupId(region), change);
  }

  /** Without the reasons. */
  private static List<Map.Entry<GroupId, ReplicaChange>> plain(List<RegionChange> changes) {
    return changes.stream().map(change -> Map.entry(change.region(), change.change())).toList();
  }

  private static List<Map.Entry<GroupId, ReplicaChange>> predict(Pictures pictures) {
    return plain(ReplicaPlacement.predict(pictures.picture(), Policy.ED));
  }

  @Test
  void nothingMovesWhereNumbersDifferByOne() {
    assertThat(predict(new Pictures(3).nodes(4).metadata(1, 2, 3, 4).region(1, 2, 3))).isEmpty();
  }

  @Test
  void replicasMoveToANewNode() {
    Pictures pictures =
        new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).region(2, 3, 1).region(3, 1, 2);
    // Nine replicas, at least two on each node.
    assertThat(predict(pictures))
        .hasSize(2)
        .allMatch(change -> change.getValue().isTo(node(4)))
        .extracting(change -> change.getValue().from().orElseThrow())
        .doesNotHaveDuplicates();
  }

  @Test
  void aLostReplicaIsReplacedFromTheOthers() {
    GroupId region = new GroupId(1);
    StoredTopology three = new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).topology();
    assertThat(plain(ReplicaPlacement.predict(Pictures.lost(three, region, 2), Policy.NONE)))
        .as("on the same node, where there is no other")
        .containsExactly(
            change(1, ReplicaChange.remove(node(2))), change(1, ReplicaChange.add(node(2))));
    StoredTopology four = new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();
    assertThat(plain(ReplicaPlacement.predict(Pictures.lost(four, region, 2), Policy.NONE)))
        .containsExactly(change(1, ReplicaChange.move(node(2), node(4))));
  }

  @Test
  void aLostReplicaStaysWhereTheOthersHaveNoMajority() {
    StoredTopology two = new Pictures(2).nodes(3).metadata(1, 2, 3).region(1, 2).topology();
    assertThat(ReplicaPlacement.predict(Pictures.lost(two, new GroupId(1), 2), Policy.ED))
        .isEmpty();
    StoredTopology three = new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();
    assertThat(ReplicaPlacement.predict(Pictures.lost(three, new GroupId(1), 2, 3), Policy.NONE))
        .isEmpty();
  }

  /** It may be back before the one that is down: without either there is no majority. */
  @Test
  void aLostReplicaStaysWhileTheOthersThatRespondHaveNoMajority() {
    GroupId region = new GroupId(1);
    StoredTopology three = new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();
    assertThat(nextOf(Pictures.down(Pictures.lost(three, region, 2), 3))).isEmpty();
    assertThat(nextOf(Pictures.down(Pictures.lost(three, region, 2), 4)))
        .containsExactly(change(1, ReplicaChange.remove(node(2))));
  }

  /** The nodes need not begin the replicas by a split that they have yet to apply. */
  @Test
  void aNodeThatHasLostAReplicaAwaitsNoSplitOfItsNeighbourWhoeverElseHasLostOne() {
    GroupId one = new GroupId(1);
    GroupId two = new GroupId(2);
    StoredTopology topology =
        new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).region(1, 2, 3).topology();
    ClusterPicture picture =
        Pictures.open(
            Pictures.lost(topology, two, 1, 2),
            Map.of(node(1), Set.of(one), node(2), Set.of(one), node(3), Set.of(one)));
    assertThat(picture.unsplit()).containsExactly(Map.entry(node(3), Set.of(one)));
  }

  /** Region 2 began by a split of region 1, which node 1 has yet to apply. */
  @Test
  void aReplicaLeavesANodeOnlyAfterTheSplitsFromWhichOthersBeginThere() {
    GroupId one = new GroupId(1);
    GroupId two = new GroupId(2);
    Pictures pictures = firstOfFourDrains().metadata(2, 3, 4).region(1, 2, 3).region(1, 2, 3);
    Map<NodeId, Set<GroupId>> open = new HashMap<>();
    open.put(node(1), Set.of(one));
    open.put(node(2), Set.of(one, two));
    open.put(node(3), Set.of(one, two));
    open.put(node(4), Set.of());
    assertThat(nextOf(Pictures.open(pictures.picture(), open)))
        .as("the child, which begins where the parent stays")
        .containsExactly(change(2, ReplicaChange.move(node(1), node(4))));

    open.put(node(1), Set.of());
    assertThat(nextOf(Pictures.open(pictures.picture(), open)))
        .as("the child, also of a parent that the node has yet to open")
        .containsExactly(change(2, ReplicaChange.move(node(1), node(4))));

    open.put(node(1), Set.of(one, two));
    assertThat(nextOf(Pictures.open(pictures.picture(), open)))
        .containsExactly(
            change(1, ReplicaChange.move(node(1), node(4))),
            change(2, ReplicaChange.move(node(1), node(4))));
    open.remove(node(1));
    assertThat(nextOf(Pictures.open(pictures.picture(), open)))
        .as("a node that does not respond need not apply anything")
        .hasSize(2);
    open.put(node(1), Set.of(one));
    ClusterPicture lost = Pictures.lost(pictures.topology(), two, 1);
    assertThat(nextOf(Pictures.open(lost, open))).as("what is lost does not begin").hasSize(2);
  }

  @Test
  void loadsAreNotMadeEqualWithReplicasOfANodeThatHasYetToApplyASplitOrDoesNotRespond() {
    GroupId one = new GroupId(1);
    GroupId two = new GroupId(2);
    ClusterPicture picture = new Pictures(1).nodes(2).metadata(1, 2).region(1).region(1).picture();
    Map<NodeId, Set<GroupId>> open = new HashMap<>();
    open.put(node(1), Set.of(one));
    open.put(node(2), Set.of());
    assertThat(nextOf(Pictures.open(picture, open)))
        .as("the child, which begins where the parent stays")
        .containsExactly(change(2, ReplicaChange.move(node(1), node(2))));
    open.remove(node(1));
    assertThat(nextOf(Pictures.open(picture, open))).isEmpty();
    open.put(node(1), Set.of(one, two));
    assertThat(nextOf(Pictures.open(picture, open))).hasSize(1);
  }

  private static Pictures firstOfFourDrains() {
    return new Pictures(3).node(1, true).node(2, false).node(3, false).node(4, false);
  }

  private static List<Map.Entry<GroupId, ReplicaChange>> nextOf(ClusterPicture picture) {
    return plain(ReplicaPlacement.next(picture, Policy.ED, 10));
  }

  @Test
  void replicasLeaveADrainingNodeAndNothingElseMoves() {
    Pictures pictures = firstOfFourDrains().metadata(1, 2, 3).region(1, 2, 3).region(2, 3, 4);
    assertThat(predict(pictures))
        .containsExactly(
            change(0, ReplicaChange.move(node(1), node(4))),
            change(1, ReplicaChange.move(node(1), node(4))));
  }

  /** There is no other node for its replica, and the region needs no fixed number. */
  @Test
  void region0LeavesADrainingNodeWithoutAReceiver() {
    Pictures pictures = new Pictures(1).node(1, true).node(2, false).metadata(1, 2).region(2);
    assertThat(predict(pictures)).containsExactly(change(0, ReplicaChange.remove(node(1))));
  }

  @Test
  void oneNodeGrowsToThree() {
    assertThat(predict(new Pictures(3).nodes(2).metadata(1).region(1)))
        .as("two replicas would tolerate no failure")
        .isEmpty();
    assertThat(predict(new Pictures(3).nodes(3).metadata(1).region(1)))
        .containsExactly(
            change(0, ReplicaChange.add(node(2))),
            change(0, ReplicaChange.add(node(3))),
            change(1, ReplicaChange.add(node(2))),
            change(1, ReplicaChange.add(node(3))));
  }

  @Test
  void replicasAreInDifferentZonesWherePossible() {
    Pictures pictures =
        new Pictures(3)
            .node(1, true, "zone=a")
            .node(2, false, "zone=b")
            .node(3, false, "zone=c")
            .node(4, false, "zone=b", "rack=9")
            .node(5, false, "zone=a")
            .metadata(2, 3, 5)
            .region(1, 2, 3);
    assertThat(predict(pictures))
        .as("although n4 has fewer replicas")
        .containsExactly(change(1, ReplicaChange.move(node(1), node(5))));
  }

  @Test
  void noBalancingMoveReducesTheNumberOfZones() {
    Pictures pictures =
        new Pictures(2)
            .node(1, false, "zone=a")
            .node(2, false, "zone=b")
            .node(3, false, "zone=b")
            .metadata(1, 2, 3)
            .region(1, 2)
            .region(1, 2)
            .region(1, 2);
    assertThat(predict(pictures))
        .isNotEmpty()
        .allMatch(change -> change.getValue().equals(ReplicaChange.move(node(2), node(3))));
  }

  @Test
  void onlySoManyRegionsChangeAtATime() {
    Pictures pictures = new Pictures(3).node(1, true).node(2, false).node(3, false).node(4, false);
    pictures.metadata(2, 3, 4);
    IntStream.range(0, 10).forEach(i -> pictures.region(1, 2, 3));
    List<RegionChange> first = ReplicaPlacement.next(pictures.picture(), Policy.ED, 4);
    assertThat(first).hasSize(4);
    StoredTopology planned = pictures.topology();
    for (RegionChange change : first) {
      planned = change.planned(planned);
    }
    assertThat(ReplicaPlacement.next(Pictures.of(planned), Policy.ED, 4)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Policy.class)
  void withoutAPolicyOnlyWhatMustMoves(Policy policy) {
    Pictures pictures = new Pictures(1).nodes(2).metadata(1).region(1).region(1).region(1);
    assertThat(ReplicaPlacement.next(pictures.picture(), policy, 9).isEmpty())
        .isEqualTo(policy == Policy.NONE);
  }

  /** From any cluster, the changes end, and then replicas are where they should be. */
  @Test
  void placementConverges() {
    for (long i = 1; i <= SEEDS; i++) {
      long seed = i;
      Random random = new Random(seed);
      StoredTopology topology = random(random);
      Map<NodeId, Integer> counts = converge(topology, "seed " + seed);
      List<Integer> active =
          topology.nodes().stream()
              .filter(entry -> !entry.isDraining())
              .map(entry -> counts.get(entry.id()))
              .toList();
      assertThat(Collections.max(active) - Collections.min(active))
          .as("seed %d: %s", seed, counts)
          .isLessThanOrEqualTo(1);
      topology.nodes().stream()
          .filter(NodeEntry::isDraining)
          .forEach(entry -> assertThat(counts.get(entry.id())).as("seed %d", seed).isZero());
    }
  }

  private static StoredTopology random(Random random) {
    int nodes = 4 + random.nextInt(5);
    Pictures pictures = new Pictures(3);
    for (int i = 1; i <= nodes; i++) {
      pictures.node(i, i > 3 && random.nextInt(nodes - 3) == 0 && i < nodes);
    }
    pictures.metadata(some(random, nodes, 3));
    int regions = 1 + random.nextInt(20);
    for (int i = 0; i < regions; i++) {
      pictures.region(some(random, nodes, random.nextInt(10) == 0 ? 1 : 3));
    }
    return pictures.topology();
  }

  private static int[] some(Random random, int nodes, int count) {
    List<Integer> numbers = new ArrayList<>(IntStream.rangeClosed(1, nodes).boxed().toList());
    Collections.shuffle(numbers, random);
    return numbers.stream().limit(count).mapToInt(Integer::intValue).toArray();
  }

  /** Carries out what is planned until nothing is; returns the numbers of replicas. */
  private static Map<NodeId, Integer> converge(StoredTopology first, String seed) {
    StoredTopology topology = first;
    for (int round = 0; ; round++) {
      assertThat(round).as(seed).isLessThan(500);
      List<RegionChange> next = ReplicaPlacement.next(Pictures.of(topology), Policy.ED, 3);
      if (next.isEmpty()) {
        StoredTopology last = topology;
        assertThat(last.metadata().replicas())
            .as(seed)
            .noneMatch(node -> last.node(node).orElseThrow().isDraining());
        return replicasByNode(topology);
      }
      for (RegionChange change : next) {
        topology = change.completed(topology);
      }
      for (RegionAssignment region : topology.assignments()) {
        assertThat(new HashSet<>(region.replicas())).hasSameSizeAs(region.replicas());
      }
    }
  }

  private static Map<NodeId, Integer> replicasByNode(StoredTopology topology) {
    Map<NodeId, Integer> counts = new HashMap<>();
    topology.nodes().forEach(node -> counts.put(node.id(), 0));
    for (RegionAssignment region : topology.regions().regions()) {
      region.replicas().forEach(node -> counts.merge(node, 1, Integer::sum));
    }
    return counts;
  }
}
