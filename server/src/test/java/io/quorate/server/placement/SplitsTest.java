package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SplitsTest {
  private static final GroupId REGION = new GroupId(1);
  private static final SplitLimits LIMITS = limits(100);
  private static final Key D = Key.utf8("d");
  private static final Key M = Key.utf8("m");

  private final StoredTopology topology =
      new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();

  private static SplitLimits limits(int replicasMax) {
    return new SplitLimits(RangeSupport.SPLITS_OF_ROWS, replicasMax);
  }

  private static StoredTopology plan(StoredTopology topology, Key at) {
    return Splits.plan(topology, at, LIMITS);
  }

  @Test
  void theNewRegionHasTheNextNumber() {
    StoredTopology once = plan(topology, M).divided(REGION);
    StoredTopology twice = plan(once, D).divided(REGION);
    assertThat(twice.regions().regions())
        .extracting(RegionAssignment::id)
        .containsExactly(REGION, new GroupId(3), new GroupId(2));
  }

  @Test
  void aRepeatedRequestPlansNothing() {
    StoredTopology planned = plan(topology, M);
    assertThat(plan(planned, M)).isSameAs(planned);
    StoredTopology divided = planned.divided(REGION);
    assertThat(plan(divided, M)).isSameAs(divided);
  }

  @Test
  void aRegionChangesOnceAtATime() {
    StoredTopology moving =
        topology.with(
            topology
                .assignment(REGION)
                .orElseThrow()
                .planned(ReplicaChange.move(node(1), node(4))));
    for (StoredTopology busy : new StoredTopology[] {moving, plan(topology, D)}) {
      assertThatThrownBy(() -> plan(busy, M))
          .isInstanceOf(ConsensusException.Unavailable.class)
          .hasMessageContaining("region 1")
          .hasMessageContaining("under way");
    }
  }

  @Test
  void largeRegionsAreSplitSomeAtATime() {
    StoredTopology three = plan(plan(topology, M).divided(REGION), D).divided(REGION);
    Map<GroupId, Key> splitKeys =
        Map.of(REGION, Key.utf8("b"), new GroupId(3), Key.utf8("g"), new GroupId(2), Key.utf8("t"));
    StoredTopology next = Splits.next(Pictures.large(three, splitKeys), 2, LIMITS);
    assertThat(next.regions().regions())
        .extracting(region -> region.split().map(PlannedSplit::at))
        .containsExactly(Optional.of(Key.utf8("b")), Optional.of(Key.utf8("g")), Optional.empty());
    assertThat(Splits.next(Pictures.large(next, splitKeys), 2, LIMITS)).isEqualTo(next);
    assertThat(Splits.next(Pictures.large(next.divided(REGION), splitKeys), 2, LIMITS))
        .as("the report of region 1 is older than its split")
        .satisfies(
            after -> {
              assertThat(after.assignment(REGION).orElseThrow().isStable()).isTrue();
              assertThat(after.assignment(new GroupId(2)).orElseThrow().isStable()).isFalse();
            });
  }

  @Test
  void noRegionBeginsAtTheEmptyKey() {
    assertThatThrownBy(() -> plan(topology, Key.EMPTY))
        .isInstanceOf(ConsensusException.Invalid.class);
  }

  /** A version that does not know the command would diverge. */
  @Test
  void noRegionSplitsUntilEachOfItsNodesHasRegisteredThatItCan() {
    NodeEntry third = topology.node(node(3)).orElseThrow();
    StoredTopology former =
        topology.with(new NodeEntry(third.node(), third.disk(), false, RangeSupport.NONE));
    assertThatThrownBy(() -> plan(former, M))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Node n3")
        .hasMessageContaining("start it with this version");
    Map<GroupId, Key> splitKeys = Map.of(REGION, M);
    assertThat(Splits.next(Pictures.large(former, splitKeys), 2, LIMITS)).isEqualTo(former);
    assertThat(plan(former.with(third), M).regions()).isEqualTo(plan(topology, M).regions());
  }

  /** A version that splits other regions refuses this split, and would diverge. */
  @Test
  void noRegionWithBodiesSplitsUntilEachOfItsNodesHasRegisteredThatItCan() {
    SplitLimits bodies = new SplitLimits(RangeSupport.SPLITS, 100);
    NodeEntry third = topology.node(node(3)).orElseThrow();
    StoredTopology former =
        topology.with(
            new NodeEntry(third.node(), third.disk(), false, RangeSupport.SPLITS_OF_ROWS));
    assertThatThrownBy(() -> Splits.plan(former, M, bodies))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Node n3");
    assertThat(Splits.plan(former.with(third), M, bodies).regions())
        .isEqualTo(plan(former, M).regions());
  }

  /** Each replica needs memory. */
  @Test
  void noRegionSplitsBeyondTheLimitOfANode() {
    StoredTopology two = plan(topology, M).divided(REGION);
    assertThat(Splits.plan(two, D, limits(3)).assignment(REGION).orElseThrow().split()).isPresent();
    assertThatThrownBy(() -> Splits.plan(two, D, limits(2)))
        .isInstanceOf(ConsensusException.Invalid.class)
        .hasMessageContaining("has 2 replicas")
        .hasMessageContaining("placement.replicas-max");
    Map<GroupId, Key> splitKeys = Map.of(REGION, Key.utf8("b"), new GroupId(2), Key.utf8("t"));
    assertThat(Splits.next(Pictures.large(two, splitKeys), 2, limits(3)).regions().regions())
        .as("a planned split counts")
        .extracting(region -> region.split().isPresent())
        .containsExactly(true, false);
    assertThat(Splits.next(Pictures.large(two, splitKeys), 2, limits(2))).isEqualTo(two);
  }
}
