package io.quorate.server.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RegionTableTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final NodeId N2 = new NodeId("n2");
  private static final NodeId N3 = new NodeId("n3");
  private static final Key M = Key.utf8("m");

  private static RegionAssignment region(int id, KeyRange range) {
    return new RegionAssignment(
        new GroupId(id), range, RegionEpoch.FIRST, List.of(new NodeId("n1")));
  }

  @Test
  void findsRegionsByKeyAndById() {
    RegionAssignment low = region(1, KeyRange.of(Key.EMPTY, M));
    RegionAssignment high = region(2, KeyRange.from(M));
    RegionTable table = new RegionTable(List.of(high, low));

    assertThat(table.regions()).containsExactly(low, high);
    assertThat(table.byKey(Key.utf8("lzz"))).isEqualTo(low);
    assertThat(table.byKey(M)).isEqualTo(high);
    assertThat(table.byId(new GroupId(2))).contains(high);
    assertThat(table.byId(new GroupId(3))).isEmpty();
    assertThat(table).isEqualTo(new RegionTable(List.of(low, high)));
  }

  @Test
  void rejectsRegionsThatDoNotPartitionTheKeys() {
    assertRejected(List.of(), "none has the keys");
    assertRejected(List.of(region(1, KeyRange.from(M))), "must start at \"\"");
    assertRejected(List.of(region(1, KeyRange.of(Key.EMPTY, M))), "none has the keys from \"m\"");
    assertRejected(
        List.of(region(1, KeyRange.of(Key.EMPTY, M)), region(2, KeyRange.from(Key.utf8("n")))),
        "must start at \"m\"");
    assertRejected(
        List.of(region(1, KeyRange.ALL), region(2, KeyRange.from(M))), "must start at nowhere");
    assertRejected(
        List.of(region(1, KeyRange.of(Key.EMPTY, M)), region(1, KeyRange.from(M))), "used once");
    assertRejected(List.of(region(0, KeyRange.ALL)), "1 or greater");
  }

  @Test
  void aMoveReplacesOneReplicaAndEachOfItsStepsBeginsAnEpoch() {
    RegionAssignment before = assignment(1, N1, N2);
    RegionAssignment planned = before.planned(ReplicaChange.move(N1, N3));

    assertThat(planned.epoch()).isEqualTo(new RegionEpoch(2));
    assertThat(planned.replicas()).containsExactly(N1, N2);
    assertThat(planned.isJoinedBy(N3)).isTrue();
    assertThat(planned.concerns(N1)).isTrue();
    assertThat(planned.changed()).isEqualTo(assignment(3, N3, N2));
    assertThatThrownBy(() -> before.planned(ReplicaChange.move(N1, N2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> before.planned(ReplicaChange.move(N3, N1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void replicasAreAddedAndRemovedExceptTheLastOne() {
    RegionAssignment before = assignment(1, N1, N2);
    assertThat(before.planned(ReplicaChange.add(N3)).changed())
        .isEqualTo(assignment(3, N1, N2, N3));
    RegionAssignment one = before.planned(ReplicaChange.remove(N1)).changed();
    assertThat(one).isEqualTo(assignment(3, N2));
    assertThatThrownBy(() -> one.planned(ReplicaChange.remove(N2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> before.planned(ReplicaChange.add(N2)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void anAdditionIsTakenBackInAnEpochThatStillConcernsTheReceiver() {
    RegionAssignment withdrawn =
        assignment(1, N1, N2).planned(ReplicaChange.move(N1, N3)).withdrawn();
    assertThat(withdrawn.concerns(N3)).isTrue();
    assertThat(withdrawn.isJoinedBy(N3)).isFalse();
    assertThat(withdrawn.replicasAfterChange()).containsExactly(N1, N2);
    assertThat(withdrawn.changed()).isEqualTo(assignment(4, N1, N2));
  }

  @Test
  void aRemovalIsTakenBackInAnEpochInWhichItsNodeReceivesNothing() {
    RegionAssignment removing = assignment(1, N1, N2).planned(ReplicaChange.remove(N2));
    assertThat(removing.removed()).contains(N2);
    RegionAssignment withdrawn = removing.withdrawn();
    assertThat(withdrawn.concerns(N2)).isTrue();
    assertThat(withdrawn.isJoinedBy(N2)).isFalse();
    assertThat(withdrawn.receiver()).isEmpty();
    assertThat(withdrawn.wanted(List.of(N1, N2))).containsExactly(N1, N2);
    assertThat(withdrawn.wanted(List.of(N1))).as("too late").containsExactly(N1);
    assertThat(withdrawn.changed()).isEqualTo(assignment(4, N1, N2));
    assertThat(withdrawn.changed(List.of(N1))).isEqualTo(assignment(4, N1));
    assertThatThrownBy(withdrawn::withdrawn).isInstanceOf(NoSuchElementException.class);
  }

  @Test
  void aPlannedSplitDividesTheRegionAndTheNewOneDoesNotBeginInTheFirstEpoch() {
    GroupId child = new GroupId(2);
    RegionAssignment planned = assignment(1, N1, N2).planned(new PlannedSplit(M, child));
    RegionTable before = new RegionTable(List.of(planned));
    assertThat(before.divided(Set.of())).isEqualTo(before);

    RegionTable after = before.divided(Set.of(child));
    assertThat(after.regions())
        .containsExactly(
            new RegionAssignment(
                new GroupId(1),
                KeyRange.of(Key.EMPTY, M),
                new RegionEpoch(3),
                List.of(N1, N2),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                child),
            new RegionAssignment(child, KeyRange.from(M), new RegionEpoch(3), List.of(N1, N2)));
    assertThat(after.divided(Set.of(child))).isEqualTo(after);
  }

  @Test
  void aSplitThatWouldLeaveARegionWithoutKeysIsNotPlanned() {
    RegionAssignment region =
        new RegionAssignment(new GroupId(2), KeyRange.from(M), RegionEpoch.FIRST, List.of(N1));
    for (PlannedSplit split :
        List.of(
            new PlannedSplit(M, new GroupId(3)),
            new PlannedSplit(Key.utf8("a"), new GroupId(3)),
            new PlannedSplit(Key.utf8("z"), new GroupId(2)))) {
      assertThatThrownBy(() -> region.planned(split)).isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static RegionAssignment assignment(long epoch, NodeId... replicas) {
    return new RegionAssignment(
        new GroupId(1), KeyRange.ALL, new RegionEpoch(epoch), List.of(replicas));
  }

  private static void assertRejected(List<RegionAssignment> regions, String message) {
    assertThatThrownBy(() -> new RegionTable(regions))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  @Test
  void aNodeHasAtMostOneReplicaOfARegion() {
    NodeId node = new NodeId("n1");

    assertThatThrownBy(
            () ->
                new RegionAssignment(
                    new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(node, node)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new RegionEpoch(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
