package io.quorate.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.client.cluster.ClusterStatus;
import io.quorate.model.NodeId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class TrafficTimelineTest {
  private static final NodeId N1 = new NodeId("n1");
  private static final long NOW = 1_700_000_012_345L;

  private final ClusterStatus status = SyntheticCluster.of(3, 1);

  @Test
  void everyNodeHasAValueAtEachTime() {
    Map<String, Object> json = TrafficTimeline.of(N1, status, NOW);
    List<?> times = (List<?>) json.get("times");
    assertThat(times).hasSize(60);
    assertThat(times.get(59)).isEqualTo(1_700_000_005_000L);
    assertThat(times.get(0)).isEqualTo(1_700_000_005_000L - 59 * 5000);
    List<?> nodes = (List<?>) json.get("nodes");
    assertThat(nodes).hasSize(3);
    for (Object node : nodes) {
      List<?> reads = values(node, "reads");
      assertThat(reads).hasSize(60);
      // The samples began five minutes ago, the times seven seconds before.
      assertThat(reads.subList(2, 60)).allMatch(value -> ((Optional<?>) value).isPresent());
      assertThat(reads.get(0)).isEqualTo(Optional.empty());
    }
  }

  /** Curves of later responses continue those of earlier ones, and do not differ in the past. */
  @Test
  void laterResponsesHaveTheSameTimes() {
    List<?> times = (List<?>) TrafficTimeline.of(N1, status, NOW).get("times");
    List<?> later = (List<?>) TrafficTimeline.of(N1, status, NOW + 5000).get("times");
    assertThat(later.subList(0, 59)).isEqualTo(times.subList(1, 60));
  }

  @Test
  void valuesAreRatesAndMicroseconds() {
    Object node = ((List<?>) TrafficTimeline.of(N1, status, NOW).get("nodes")).get(0);
    Optional<?> reads = (Optional<?>) values(node, "reads").get(59);
    assertThat((Double) reads.orElseThrow()).isBetween(3000.0, 5000.0);
    assertThat(((Optional<?>) values(node, "readP99Micros").get(59)).map(Long.class::cast))
        .hasValueSatisfying(micros -> assertThat(micros).isBetween(1500L, 2000L));
  }

  private static List<?> values(Object node, String name) {
    return (List<?>) ((Map<?, ?>) node).get(name);
  }
}
