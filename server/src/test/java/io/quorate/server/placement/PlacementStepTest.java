package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.topology.PlannedMerge;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class PlacementStepTest {
  private static final RangeSupport NEEDED = RangeSupport.SPLITS_OF_ROWS;
  private static final PlacementConfig CONFIG =
      Pictures.config(PlacementConfig.Policy.ED, PlacementConfig.SplitRule.NEVER);
  private static final GroupId REGION = new GroupId(1);

  private static StoredTopology moving() {
    StoredTopology topology = new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();
    return topology.with(
        topology.assignment(REGION).orElseThrow().planned(ReplicaChange.move(node(1), node(4))));
  }

  private static Optional<List<NodeId>> confirmedBy(boolean isConfirmed, List<NodeId> members) {
    return isConfirmed ? Optional.of(members) : Optional.empty();
  }

  private static RegionAssignment step(
      StoredTopology topology, boolean isConfirmed, boolean isStalled) {
    return PlacementStep.of(
            Pictures.of(topology),
            CONFIG,
            NEEDED,
            region -> confirmedBy(isConfirmed, region.replicasAfterChange()),
            region -> isStalled,
            region -> false)
        .next()
        .assignment(REGION)
        .orElseThrow();
  }

  @Test
  void aConfirmedChangeIsComplete() {
    RegionAssignment after = step(moving(), true, false);
    assertThat(after.replicas()).isEqualTo(List.of(node(4), node(2), node(3)));
    assertThat(after.change()).isEmpty();
  }

  @Test
  void aChangeUnderWayContinues() {
    StoredTopology topology = moving();
    PlacementStep step =
        PlacementStep.of(
            Pictures.of(topology),
            CONFIG,
            NEEDED,
            region -> Optional.empty(),
            region -> false,
            region -> false);
    assertThat(step.isEmpty()).isTrue();
    assertThat(step.next()).isEqualTo(topology);
  }

  /** The group may have received the new member nevertheless, so that is confirmed too. */
  @Test
  void aChangeThatIsStalledIsTakenBack() {
    RegionAssignment after = step(moving(), false, true);
    assertThat(after.replicas()).isEqualTo(List.of(node(1), node(2), node(3)));
    assertThat(after.change()).isEqualTo(Optional.of(ReplicaChange.remove(node(4))));
    assertThat(after.concerns(node(4))).isTrue();
    StoredTopology withdrawn = moving().with(after);
    RegionAssignment confirmed = step(withdrawn, true, true);
    assertThat(confirmed.replicas()).isEqualTo(List.of(node(1), node(2), node(3)));
    assertThat(confirmed.concerns(node(4))).isFalse();
  }

  /** Its group had received n4, and n1, which it lost, does not come back. */
  @Test
  void aMoveThatIsTakenBackTooLateStays() {
    StoredTopology withdrawn = moving().with(step(moving(), false, true));
    PlacementStep step = stepWithMembers(withdrawn, List.of(node(2), node(3), node(4)));
    RegionAssignment after = step.next().assignment(REGION).orElseThrow();
    assertThat(after.isStable()).isTrue();
    assertThat(after.replicas()).containsExactly(node(2), node(3), node(4));
    assertThat(step.events())
        .extracting(PlacementEvent::reason)
        .containsExactly("the group had changed already, and keeps its members [n2, n3, n4]");
  }

  /** A silent member is removed before another one is added. */
  @Test
  void aMoveThatIsTakenBackInTheMiddleLeavesAReplicaThatIsAddedNext() {
    StoredTopology withdrawn = moving().with(step(moving(), false, true));
    RegionAssignment after =
        stepWithMembers(withdrawn, List.of(node(2), node(3)))
            .next()
            .assignment(REGION)
            .orElseThrow();
    assertThat(after.replicas()).containsExactly(node(2), node(3));
    assertThat(after.change().flatMap(ReplicaChange::to)).as("it is added").isPresent();
  }

  private static StoredTopology removing(boolean isDraining) {
    StoredTopology topology =
        new Pictures(3)
            .node(1, false)
            .node(2, isDraining)
            .node(3, false)
            .metadata(1, 2, 3)
            .region(1, 2, 3)
            .topology();
    return topology.with(
        topology.assignment(REGION).orElseThrow().planned(ReplicaChange.remove(node(2))));
  }

  private static PlacementStep stepWithReplicaBack(ClusterPicture picture) {
    return PlacementStep.of(
        picture, CONFIG, NEEDED, region -> Optional.empty(), region -> true, region -> true);
  }

  /** The other two may have no majority by then, without which it cannot be added again. */
  @Test
  void aReplicaThatWasLostAndIsBackStays() {
    StoredTopology topology = removing(false);
    assertThat(step(topology, false, true).removed()).as("not back").contains(node(2));
    PlacementStep step = stepWithReplicaBack(Pictures.of(topology));
    RegionAssignment after = step.next().assignment(REGION).orElseThrow();
    assertThat(after.isTakenBack()).isTrue();
    assertThat(after.replicasAfterChange()).containsExactly(node(1), node(2), node(3));
    assertThat(after.isJoinedBy(node(2))).as("it begins no other one").isFalse();
    assertThat(step.events())
        .extracting(PlacementEvent::reason)
        .containsExactly("node n2 has it again");
    assertThat(stepWithReplicaBack(Pictures.of(step.next())).isEmpty()).as("once").isTrue();
    assertThat(step(step.next(), true, false).replicas()).isEqualTo(after.replicas());
  }

  @Test
  void aReplicaThatIsRemovedForAnotherReasonOrIsReportedAsLostIsRemovedAlthoughItIsOpen() {
    for (ClusterPicture picture :
        List.of(Pictures.of(removing(true)), Pictures.lost(removing(false), REGION, 2))) {
      RegionAssignment after = stepWithReplicaBack(picture).next().assignment(REGION).orElseThrow();
      assertThat(after.removed()).contains(node(2));
    }
  }

  /** Its group had removed n2 before; n2 may be added again. */
  @Test
  void aRemovalThatIsTakenBackTooLateStays() {
    StoredTopology withdrawn = stepWithReplicaBack(Pictures.of(removing(false))).next();
    RegionAssignment after =
        stepWithMembers(withdrawn, List.of(node(1), node(3)))
            .next()
            .assignment(REGION)
            .orElseThrow();
    assertThat(after.replicas()).containsExactly(node(1), node(3));
    assertThat(after.change()).contains(ReplicaChange.add(node(2)));
    assertThat(after.isJoinedBy(node(2))).isTrue();
  }

  private static PlacementStep stepWithMembers(StoredTopology topology, List<NodeId> members) {
    return PlacementStep.of(
        Pictures.of(topology),
        CONFIG,
        NEEDED,
        region -> confirmedBy(region.id().equals(REGION), members),
        region -> false,
        region -> false);
  }

  @Test
  void aConfirmedSplitIsComplete() {
    StoredTopology before = new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).topology();
    StoredTopology planned = Splits.plan(before, Key.utf8("m"), NEEDED);
    assertThat(step(planned, false, true).split())
        .as("never taken back")
        .contains(new PlannedSplit(Key.utf8("m"), new GroupId(2)));
    StoredTopology after =
        PlacementStep.of(
                Pictures.of(planned),
                CONFIG,
                NEEDED,
                region -> Optional.of(region.replicas()),
                region -> false,
                region -> false)
            .next();
    assertThat(after.regions().byKey(Key.utf8("a")).id()).isEqualTo(REGION);
    assertThat(after.regions().byKey(Key.utf8("m")).id()).isEqualTo(new GroupId(2));
    assertThat(after.assignments()).allMatch(RegionAssignment::isStable);
  }

  private static StoredTopology merging() {
    StoredTopology topology =
        Splits.plan(
                new Pictures(3).nodes(3).metadata(1, 2, 3).region(1, 2, 3).topology(),
                Key.utf8("m"),
                NEEDED)
            .divided(REGION);
    PlannedMerge merge = new PlannedMerge(new GroupId(3), new GroupId(2), REGION);
    return topology.with(
        topology.assignment(REGION).orElseThrow().planned(merge),
        topology.assignment(new GroupId(2)).orElseThrow().planned(merge));
  }

  private static PlacementStep stepConfirmedBy(StoredTopology topology, int region) {
    return PlacementStep.of(
        Pictures.of(topology),
        CONFIG,
        NEEDED,
        each -> confirmedBy(each.id().equals(new GroupId(region)), each.replicas()),
        each -> true,
        each -> true);
  }

  @Test
  void aMergeThatTheFirstRegionConfirmsIsComplete() {
    PlacementStep step = stepConfirmedBy(merging(), 1);
    assertThat(step.next().regions().regions())
        .extracting(RegionAssignment::id)
        .containsExactly(REGION);
    assertThat(step.events())
        .extracting(PlacementEvent::reason)
        .contains("it has the keys of region 2");
    assertThat(stepConfirmedBy(merging(), 7).isEmpty()).as("never taken back by time").isTrue();
  }

  @Test
  void aMergeThatTheSecondRegionConfirmsIsGivenUp() {
    PlacementStep step = stepConfirmedBy(merging(), 2);
    assertThat(step.next().regions().regions()).hasSize(2).allMatch(RegionAssignment::isStable);
    assertThat(step.events())
        .extracting(PlacementEvent::reason)
        .contains("region 2 is too large to be absorbed");
  }
}
