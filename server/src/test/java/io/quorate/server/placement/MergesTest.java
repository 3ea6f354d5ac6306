package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import io.quorate.server.topology.TopologyMessages;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class MergesTest {
  private static final GroupId LEFT = new GroupId(1);
  private static final GroupId RIGHT = new GroupId(2);
  private static final RangeSupport NEEDED = RangeSupport.SPLITS_OF_ROWS;
  private static final Key M = Key.utf8("m");

  private final StoredTopology topology =
      capable(
          Splits.plan(
                  new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology(), M, NEEDED)
              .divided(LEFT));

  private static StoredTopology capable(StoredTopology topology) {
    StoredTopology all = topology;
    for (NodeEntry entry : topology.nodes()) {
      all = all.with(registered(entry, RangeSupport.MERGES));
    }
    return all;
  }

  private static NodeEntry registered(NodeEntry entry, RangeSupport ranges) {
    return new NodeEntry(entry.node(), entry.disk(), entry.isDraining(), ranges);
  }

  private static StoredTopology plan(StoredTopology topology, Key at) {
    return Merges.plan(Pictures.of(topology), at, NEEDED, (region, node) -> true);
  }

  private RegionAssignment region(GroupId id) {
    return topology.assignment(id).orElseThrow();
  }

  @Test
  void bothRegionsHaveThePlanWithTheNextNumber() {
    StoredTopology planned = plan(topology, M);
    PlannedMerge merge = new PlannedMerge(new GroupId(3), RIGHT, LEFT);
    assertThat(planned.regions().regions())
        .allSatisfy(region -> assertThat(region.merge()).contains(merge));
    assertThat(plan(planned, M)).as("repeated").isSameAs(planned);
    assertThat(plan(planned, Key.utf8("x"))).as("no region begins there").isSameAs(planned);
    assertThat(TopologyMessages.stored(TopologyMessages.of(planned))).isEqualTo(planned);
  }

  @Test
  void numbersAreNeverUsedTwice() {
    StoredTopology planned = plan(topology, M);
    StoredTopology merged = planned.merged(region(planned).merge().orElseThrow());
    RegionAssignment all = merged.assignment(LEFT).orElseThrow();
    assertThat(all.range()).isEqualTo(KeyRange.ALL);
    assertThat(all.newestChange()).isEqualTo(new GroupId(3));
    assertThat(all.epoch()).isGreaterThan(region(planned).epoch());
    assertThat(merged.regions().regions()).hasSize(1);
    assertThat(merged.isAbsorbed(RIGHT)).isTrue();
    assertThat(merged.isAbsorbed(LEFT)).isFalse();
    assertThat(merged.isAbsorbed(new GroupId(4))).as("it may begin later").isFalse();
    assertThat(merged.nextNumber()).isEqualTo(new GroupId(4));
    assertThat(TopologyMessages.stored(TopologyMessages.of(merged))).isEqualTo(merged);
    assertThat(Splits.plan(merged, M, NEEDED).isAbsorbed(new GroupId(4))).isFalse();
    assertThat(planned.isAbsorbed(RIGHT)).isFalse();
  }

  private static RegionAssignment region(StoredTopology of) {
    return of.assignment(LEFT).orElseThrow();
  }

  @Test
  void aMergeThatIsGivenUpLeavesBothRegions() {
    StoredTopology planned = plan(topology, M);
    StoredTopology after = planned.unmerged(region(planned).merge().orElseThrow());
    assertThat(after.regions().regions()).allMatch(RegionAssignment::isStable);
    assertThat(after.assignment(LEFT).orElseThrow().newestChange())
        .as("its replicas never have the number")
        .isEqualTo(RIGHT);
    assertThat(after.assignment(RIGHT).orElseThrow().newestChange()).isEqualTo(new GroupId(3));
    assertThat(after.nextNumber()).isEqualTo(new GroupId(4));
  }

  @Test
  void aRegionChangesOnceAtATime() {
    for (GroupId busy : new GroupId[] {LEFT, RIGHT}) {
      StoredTopology moving =
          topology.with(region(busy).planned(ReplicaChange.move(node(1), node(4))));
      assertThatThrownBy(() -> plan(moving, M))
          .isInstanceOf(ConsensusException.Unavailable.class)
          .hasMessageContaining("region " + busy)
          .hasMessageContaining("under way");
    }
    assertThatThrownBy(() -> Splits.plan(plan(topology, M), Key.utf8("x"), NEEDED))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("A merge of regions 1 and 2 is under way");
  }

  @Test
  void aRegionThatBeginsByAPlannedSplitIsNotMergedYet() {
    StoredTopology splitting = Splits.plan(topology, Key.utf8("x"), NEEDED);
    assertThatThrownBy(() -> plan(splitting, Key.utf8("x")))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("A split of region 2 at \"x\" is under way");
  }

  /** A replica of the first region reads the rows of the second one on its own node. */
  @Test
  void bothRegionsAreOnTheSameNodes() {
    StoredTopology moved =
        topology.with(region(RIGHT).planned(ReplicaChange.move(node(1), node(4))).changed());
    assertThatThrownBy(() -> plan(moved, M))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("move them to the same nodes first");
  }

  @Test
  void everyNodeOfTheClusterKnowsMerges() {
    StoredTopology former =
        topology.with(registered(topology.node(node(4)).orElseThrow(), RangeSupport.SPLITS));
    assertThatThrownBy(() -> plan(former, M))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Node n4");
  }

  @Test
  void regionsWithBodiesAreNotMerged() {
    assertThatThrownBy(
            () ->
                Merges.plan(Pictures.of(topology), M, RangeSupport.SPLITS, (region, node) -> true))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("replication = coded");
  }

  @Test
  void theFirstRegionIsNotAbsorbed() {
    assertThatThrownBy(() -> plan(topology, Key.EMPTY))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("no region before it");
  }

  @Test
  void aNodeThatDoesNotRespondDelaysAMerge() {
    Set<GroupId> both = Set.of(LEFT, RIGHT);
    ClusterPicture picture =
        Pictures.open(Pictures.of(topology), Map.of(node(1), both, node(2), both));
    assertThatThrownBy(() -> Merges.plan(picture, M, NEEDED, (region, node) -> true))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Node n3")
        .hasMessageContaining("does not respond");
  }

  /** What begins there by a split would be lost if the region ends before it has split there. */
  @Test
  void aNodeThatHasYetToApplyASplitDelaysAMerge() {
    StoredTopology three = Splits.plan(topology, Key.utf8("x"), NEEDED).divided(RIGHT);
    Set<GroupId> all = Set.of(LEFT, RIGHT, new GroupId(3));
    ClusterPicture behind =
        Pictures.open(
            Pictures.of(three), Map.of(node(1), all, node(2), all, node(3), Set.of(LEFT, RIGHT)));
    assertThatThrownBy(() -> Merges.plan(behind, M, NEEDED, (region, node) -> true))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Node n3 has yet to open a replica");
    ClusterPicture ready =
        Pictures.open(Pictures.of(three), Map.of(node(1), all, node(2), all, node(3), all));
    assertThat(Merges.plan(ready, M, NEEDED, (region, node) -> true)).isNotEqualTo(three);
  }

  /** A node that has just started responds, and nothing shows yet what it has to apply. */
  @Test
  void aNodeThatHasNotOpenedItsReplicasDelaysAMerge() {
    for (GroupId closed : new GroupId[] {LEFT, RIGHT}) {
      assertThatThrownBy(
              () ->
                  Merges.plan(
                      Pictures.of(topology),
                      M,
                      NEEDED,
                      (region, node) -> !region.equals(closed) || !node.equals(node(2))))
          .isInstanceOf(ConsensusException.Unavailable.class)
          .hasMessageContaining("Node n2 has yet to open a replica");
    }
  }
}
