package io.quorate.server.placement;

import static io.quorate.server.placement.Pictures.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.RegionEpoch;
import io.quorate.model.NodeId;
import io.quorate.server.config.PlacementConfig.Policy;
import io.quorate.server.topology.RegionAssignment;
import io.quorate.server.topology.StoredTopology;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FirstPlacementTest {
  /** The configuration 1N2H3P of the paper; speeds in relation to the slowest class. */
  private static final Map<NodeId, Double> SPEEDS =
      Map.of(node(1), 3.4, node(2), 2.4, node(3), 2.4, node(4), 1.0, node(5), 1.0, node(6), 1.0);

  private static StoredTopology even(Pictures pictures, int regions) {
    for (int i = 0; i < regions; i++) {
      pictures.region(1 + i % 6, 1 + (i + 1) % 6, 1 + (i + 2) % 6);
    }
    return pictures.metadata(1, 2, 3, 4, 5).topology();
  }

  private static Map<String, Integer> count(StoredTopology topology, boolean leaders) {
    Map<String, Integer> counts = new TreeMap<>();
    for (RegionAssignment region : topology.regions().regions()) {
      (leaders ? region.replicas().subList(0, 1) : region.replicas())
          .forEach(node -> counts.merge(node.value(), 1, Integer::sum));
    }
    return counts;
  }

  @Test
  void replicasAreInProportionToTheSpeeds() {
    StoredTopology placed =
        FirstPlacement.of(even(new Pictures(3).nodes(6), 24), SPEEDS, Policy.ALOR);
    assertThat(count(placed, false))
        .isEqualTo(Map.of("n1", 22, "n2", 16, "n3", 16, "n4", 6, "n5", 6, "n6", 6));
    assertThat(count(placed, true).keySet()).doesNotContain("n4", "n5", "n6");
    for (RegionAssignment region : placed.regions().regions()) {
      assertThat(region.replicas().stream().filter(node -> SPEEDS.get(node) > 1).count())
          .as("commits need no slow device")
          .isGreaterThanOrEqualTo(2);
    }
    assertThat(placed.assignments()).allMatch(region -> region.epoch().equals(RegionEpoch.FIRST));
  }

  @Test
  void underLmoOnlyLeadersFollowTheSpeed() {
    StoredTopology even = even(new Pictures(3).nodes(6), 24);
    StoredTopology placed = FirstPlacement.of(even, SPEEDS, Policy.LMO);
    assertThat(count(placed, false)).isEqualTo(count(even, false));
    for (RegionAssignment region : placed.regions().regions()) {
      double best = region.replicas().stream().mapToDouble(SPEEDS::get).max().orElseThrow();
      assertThat(SPEEDS.get(region.preferredLeader())).isEqualTo(best);
    }
  }

  @Test
  void zonesMatterMoreThanSpeed() {
    Pictures pictures = new Pictures(3);
    for (int i = 1; i <= 6; i++) {
      pictures.node(i, false, "zone=" + (i <= 2 ? "a" : i <= 4 ? "b" : "c"));
    }
    StoredTopology placed = FirstPlacement.of(even(pictures, 12), SPEEDS, Policy.ALOR);
    for (RegionAssignment region : placed.regions().regions()) {
      assertThat(Diversity.of(region.replicas(), placed).domains()).startsWith(3);
    }
  }

  @Test
  void withoutSpeedsOrAPolicyForDevicesTheTopologyStaysAsItIs() {
    StoredTopology even = even(new Pictures(3).nodes(6), 6);
    assertThat(FirstPlacement.of(even, SPEEDS, Policy.ED)).isEqualTo(even);
    assertThat(FirstPlacement.of(even, Map.of(), Policy.ALOR)).isEqualTo(even);
  }
}
