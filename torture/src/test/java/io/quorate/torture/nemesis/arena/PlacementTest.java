package io.quorate.torture.nemesis.arena;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.NodeState;
import io.quorate.client.cluster.RegionDescriptor;
import io.quorate.client.cluster.RegionEpoch;
import io.quorate.client.cluster.RegionPlan;
import io.quorate.client.cluster.ReplicaState;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.model.KeyRange;
import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PlacementTest {
  private static final GroupId REGION = new GroupId(1);

  @Test
  void aClusterIsCompleteWhereEveryNodeReportsAllOfItsReplicas() {
    NodeState one = state("n1", 5, true, "n1", "n2");
    NodeState two = state("n2", 5, true, "n1", "n2");

    assertThat(placement(one, two).isComplete(2)).isTrue();
    assertThat(placement(one, two).isComplete(3)).isFalse();
    assertThat(placement(one).isComplete(2)).isFalse();
    assertThat(placement(one, state("n2", 5, false, "n1", "n2")).isComplete(2)).isFalse();
    assertThat(placement(one, starting("n2")).isComplete(2)).isFalse();
    assertThat(placement(one, losing("n2")).isComplete(2)).isFalse();
  }

  @Test
  void theNewestTopologyCounts() {
    Placement placement =
        placement(state("n1", 5, true, "n1", "n2"), state("n2", 6, true, "n1", "n2", "n3"));

    assertThat(placement.copies()).isEqualTo(3);
    assertThat(placement.isComplete(2)).isFalse();
    assertThat(placement.receivers()).containsExactly(new NodeId("n3"));
  }

  @Test
  void nothingIsKnownOfAClusterThatDoesNotRespond() {
    assertThat(placement().copies()).isZero();
    assertThat(placement().receivers()).isEmpty();
    assertThat(placement().isComplete(2)).isFalse();
  }

  private static Placement placement(NodeState... states) {
    return new Placement(2, () -> List.of(states));
  }

  private static NodeState state(String id, long version, boolean isOpen, String... replicas) {
    RegionDescriptor region =
        new RegionDescriptor(
            REGION,
            RegionEpoch.FIRST,
            KeyRange.of(Key.EMPTY, Key.wrap(new byte[] {1})),
            Stream.of(replicas).map(NodeId::new).toList(),
            Optional.empty());
    return state(
        id, version, List.of(region), isOpen ? List.of(replica(region)) : List.of(), false);
  }

  private static NodeState starting(String id) {
    return state(id, 0, List.of(), List.of(), false);
  }

  private static NodeState losing(String id) {
    NodeState open = state(id, 5, true, "n1", "n2");
    return state(id, 5, open.regions(), open.replicas(), true);
  }

  private static NodeState state(
      String id,
      long version,
      List<RegionDescriptor> regions,
      List<ReplicaState> replicas,
      boolean isLost) {
    return new NodeState(
        new NodeId(id),
        "cluster",
        "version",
        "raft",
        Map.of(),
        Duration.ZERO,
        Optional.empty(),
        false,
        version,
        List.of(),
        regions,
        Map.of(REGION, new RegionPlan.Replicas(Optional.empty(), Optional.of(new NodeId("n3")))),
        replicas,
        Optional.empty(),
        NodeState.JoinState.JOINED,
        isLost ? Map.of(REGION, RegionEpoch.FIRST) : Map.of(),
        Optional.empty(),
        Optional.empty(),
        List.of(),
        List.of(),
        0,
        Map.of());
  }

  private static ReplicaState replica(RegionDescriptor region) {
    return new ReplicaState(
        region,
        List.of(),
        true,
        1,
        0,
        0,
        0,
        Optional.empty(),
        Optional.empty(),
        0,
        0,
        ReplicaState.SplitKeys.NONE,
        false,
        OptionalDouble.empty());
  }
}
