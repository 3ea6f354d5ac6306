package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.quorate.consensus.ConsensusException;
import io.quorate.model.GroupId;
import io.quorate.model.Key;
import io.quorate.server.config.PlacementConfig;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.config.PlacementConfig.SplitRule;
import io.quorate.server.placement.ClusterPicture.SplitProposal;
import io.quorate.server.topology.NodeEntry;
import io.quorate.server.topology.PlannedSplit;
import io.quorate.server.topology.RangeSupport;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.ReplicaChange;
import io.quorate.server.topology.StoredTopology;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SplitsTest {
  private static final GroupId REGION = new GroupId(1);
  private static final RangeSupport NEEDED = RangeSupport.SPLITS_OF_ROWS;
  private static final long GIB = 1L << 30;
  private static final PlacementConfig CONFIG =
      Pictures.config(Policy.ED, new SplitRule(GIB, 0, Key.EMPTY));
  private static final Key D = Key.utf8("d");
  private static final Key M = Key.utf8("m");

  private final StoredTopology topology =
      new Pictures(3).nodes(4).metadata(1, 2, 3).region(1, 2, 3).topology();

  private static StoredTopology plan(StoredTopology topology, Key at) {
    return Splits.plan(topology, at, NEEDED);
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

  private static StoredTopology next(ClusterPicture picture) {
    return Splits.next(picture, CONFIG, NEEDED).next();
  }

  private static List<Optional<Key>> planned(StoredTopology topology) {
    return topology.regions().regions().stream()
        .map(region -> region.split().map(PlannedSplit::at))
        .toList();
  }

  private static GroupId region(int id) {
    return new GroupId(id);
  }

  @Test
  void largeRegionsAreSplitSomeAtATimeTheLargestFirst() {
    StoredTopology topology = new Pictures(1).nodes(20).metadata(1, 2, 3).topologyOf(6);
    Map<GroupId, Long> rowBytes = new HashMap<>();
    Map<GroupId, Key> keys = new HashMap<>();
    for (RegionAssignment region : topology.regions().regions()) {
      rowBytes.put(region.id(), (10 + region.id().value()) * GIB);
      keys.put(region.id(), Key.utf8("%06d/m".formatted(region.id().value())));
    }
    StoredTopology next = next(Pictures.large(topology, rowBytes, keys));
    assertThat(planned(next).stream().map(Optional::isPresent))
        .containsExactly(false, false, true, true, true, true);
    assertThat(next(Pictures.large(next, rowBytes, keys))).isEqualTo(next);
    assertThat(planned(next(Pictures.large(next.divided(region(6)), rowBytes, keys))))
        .as("the size of region 7 is not known yet")
        .filteredOn(Optional::isPresent)
        .hasSize(3);
    rowBytes.put(region(7), 8 * GIB);
    assertThat(planned(next(Pictures.large(next.divided(region(6)), rowBytes, keys))))
        .as("the report of region 6 is older than its split")
        .containsExactly(
            Optional.empty(),
            Optional.of(keys.get(region(2))),
            Optional.of(keys.get(region(3))),
            Optional.of(keys.get(region(4))),
            Optional.of(keys.get(region(5))),
            Optional.empty(),
            Optional.empty());
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
    ClusterPicture picture = Pictures.large(former, Map.of(REGION, 10 * GIB), Map.of(REGION, M));
    assertThat(next(picture)).isEqualTo(former);
    assertThat(why(picture)).contains("node n3 has not registered");
    assertThat(planned(next(picture.with(former.with(third))))).containsExactly(Optional.of(M));
    assertThat(plan(former.with(third), M).regions()).isEqualTo(plan(topology, M).regions());
  }

  /** A version that splits other regions refuses this split, and would diverge. */
  @Test
  void noRegionWithBodiesSplitsUntilEachOfItsNodesHasRegisteredThatItCan() {
    NodeEntry third = topology.node(node(3)).orElseThrow();
    StoredTopology former =
        topology.with(
            new NodeEntry(third.node(), third.disk(), false, RangeSupport.SPLITS_OF_ROWS));
    assertThatThrownBy(() -> Splits.plan(former, M, RangeSupport.SPLITS))
        .isInstanceOf(ConsensusException.Unavailable.class)
        .hasMessageContaining("Node n3");
    assertThat(Splits.plan(former.with(third), M, RangeSupport.SPLITS).regions())
        .isEqualTo(plan(former, M).regions());
  }

  /** Why the first of the large regions is not split. */
  private static String why(ClusterPicture picture) {
    return why(picture, CONFIG);
  }

  private static String why(ClusterPicture picture, PlacementConfig config) {
    assertThat(Splits.next(picture, config, NEEDED).events()).isEmpty();
    return Splits.whole(picture, config, NEEDED).get(0).reason();
  }

  private ClusterPicture large(int nodes, long bytes) {
    return Pictures.large(
        new Pictures(3).nodes(nodes).metadata(1, 2, 3).region(1, 2, 3).topology(),
        Map.of(REGION, bytes),
        Map.of(REGION, M));
  }

  @Test
  void aRegionIsNotSplitWhereEachNodeHasAReplicaOfIt() {
    assertThat(why(large(3, 31 * GIB)))
        .isEqualTo("all 3 nodes have every region; a split moves nothing");
    assertThat(why(large(3, 31 * GIB), Pictures.config(Policy.ALOR, CONFIG.splits())))
        .isEqualTo("all 3 nodes have every region; a split moves nothing");
    assertThat(Splits.next(large(4, GIB), CONFIG, NEEDED).events())
        .extracting(PlacementEvent::reason)
        .containsExactly(
            "pieces of up to 192.0 MiB fill 4 nodes more evenly; region 2 begins at \"m\"");
    assertThat(Splits.next(large(4, GIB - 1), CONFIG, NEEDED).events()).isEmpty();
    assertThat(Splits.whole(large(4, GIB - 1), CONFIG, NEEDED)).as("it is not large").isEmpty();
  }

  /** It is copied and compared as a whole. */
  @Test
  void aRegionIsSplitAnywhereWhereACopyOfItWouldTakeLong() {
    assertThat(Splits.next(large(3, 32 * GIB), CONFIG, NEEDED).events())
        .extracting(PlacementEvent::reason)
        .containsExactly("it is too large for one copy, 32.0 GiB; region 2 begins at \"m\"");
    PlacementConfig none = Pictures.config(Policy.NONE, CONFIG.splits());
    assertThat(Splits.next(large(3, 32 * GIB), none, NEEDED).events()).hasSize(1);
    assertThat(why(large(5, 31 * GIB), none)).isEqualTo("the policy none moves no pieces");
  }

  @Test
  void aRegionWithoutAKeyThatDividesItSaysSo() {
    ClusterPicture picture =
        Pictures.large(large(5, 1).topology(), Map.of(REGION, 10 * GIB), Map.of());
    assertThat(why(picture)).startsWith("no key that divides it is known yet");
  }

  /** Also where pieces move nothing, up to a number. */
  @Test
  void busyRegionsAreSplitWhateverTheirSize() {
    SplitProposal busy = new SplitProposal(Optional.of(D), Optional.of(M), 2 * GIB);
    StoredTopology three = large(3, 1).topology();
    Map<GroupId, Long> rowBytes = Map.of(REGION, 2 * GIB);
    assertThat(
            Splits.next(Pictures.proposed(three, rowBytes, Map.of(REGION, busy)), CONFIG, NEEDED)
                .events())
        .extracting(PlacementEvent::reason)
        .containsExactly("it is busy; region 2 begins at \"m\"");
    StoredTopology sixteen = new Pictures(3).nodes(3).metadata(1, 2, 3).topologyOf(16);
    SplitProposal key =
        new SplitProposal(Optional.empty(), Optional.of(Key.utf8("000001")), 2 * GIB);
    assertThat(why(Pictures.proposed(sixteen, rowBytes, Map.of(REGION, key))))
        .isEqualTo("nodes have 16 replicas each on average, which is enough");
  }
}
