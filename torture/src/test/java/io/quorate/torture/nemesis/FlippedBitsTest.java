package io.quorate.torture.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.model.NodeId;
import io.quorate.torture.nemesis.arena.NodeMetrics;
import io.quorate.torture.testbed.network.Link;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FlippedBitsTest {
  private static final NodeId ONE = new NodeId("n1");
  private static final NodeId TWO = new NodeId("n2");

  @Test
  void allLinksBetweenNodesAreHitAndThoseOfClientsOnRequest() {
    Set<Link> between = Set.of(new Link(ONE, TWO), new Link(TWO, ONE));

    assertThat(FlippedBits.links(List.of(ONE, TWO), false)).isEqualTo(between);
    assertThat(FlippedBits.links(List.of(ONE, TWO), true))
        .containsAll(between)
        .hasSize(6)
        .contains(new Link(Link.CLIENTS, ONE), new Link(TWO, Link.CLIENTS));
  }

  @Test
  void onlyMismatchesOfChecksumsCount() {
    Map<String, Double> values =
        NodeMetrics.parse(
            """
            quorate_connections_altered_total{node="n1"} 2.0
            quorate_connections_broken_total{node="n1"} 16.0
            quorate_raft_transport_refused_connections_total{node="n1",reason="checksum"} 4.0
            quorate_raft_transport_refused_connections_total{node="n1",reason="frame"} 32.0
            quorate_rabia_transport_refused_connections_total{reason="checksum"} 8.0
            """,
            "quorate_");

    assertThat(FlippedBits.noticed(values)).contains(14.0);
    assertThat(FlippedBits.noticed(Map.of())).isEmpty();
  }

  @Test
  void manyBitsOfWhichNoneIsNoticedAreAFinding() {
    assertThat(FlippedBits.isPlausible(0, 0)).isTrue();
    assertThat(FlippedBits.isPlausible(2, 0)).isTrue();
    assertThat(FlippedBits.isPlausible(3, 0)).isFalse();
    assertThat(FlippedBits.isPlausible(500, 1)).isTrue();
  }
}
