package io.quorate.server.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.client.RegionEpoch;
import io.quorate.consensus.GroupId;
import io.quorate.consensus.Key;
import io.quorate.consensus.KeyRange;
import io.quorate.consensus.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegionTableTest {
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
  void theNewestDescriptionOfEachRegionHolds() {
    RegionAssignment low = region(1, KeyRange.of(Key.EMPTY, M));
    RegionAssignment high = region(2, KeyRange.from(M));
    ReplicaMove move = new ReplicaMove(new NodeId("n1"), new NodeId("n2"));
    RegionTable lowMoves = new RegionTable(List.of(low.planned(move), high));
    RegionTable highMoves = new RegionTable(List.of(low, high.planned(move).moved()));

    assertThat(lowMoves.newest(highMoves))
        .isEqualTo(highMoves.newest(lowMoves))
        .isEqualTo(new RegionTable(List.of(low.planned(move), high.planned(move).moved())));
  }

  @Test
  void aMoveReplacesOneReplicaAndEachOfItsStepsBeginsAnEpoch() {
    NodeId n1 = new NodeId("n1");
    NodeId n2 = new NodeId("n2");
    NodeId n3 = new NodeId("n3");
    RegionAssignment before =
        new RegionAssignment(new GroupId(1), KeyRange.ALL, RegionEpoch.FIRST, List.of(n1, n2));
    RegionAssignment planned = before.planned(new ReplicaMove(n1, n3));

    assertThat(planned.epoch()).isEqualTo(new RegionEpoch(2));
    assertThat(planned.replicas()).containsExactly(n1, n2);
    assertThat(planned.isMovingTo(n3)).isTrue();
    assertThat(planned.moved())
        .isEqualTo(
            new RegionAssignment(
                new GroupId(1), KeyRange.ALL, new RegionEpoch(3), List.of(n3, n2)));
    assertThatThrownBy(() -> before.planned(new ReplicaMove(n1, n2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> before.planned(new ReplicaMove(n3, n1)))
        .isInstanceOf(IllegalArgumentException.class);
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
