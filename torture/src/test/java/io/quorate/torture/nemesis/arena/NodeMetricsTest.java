package io.quorate.torture.nemesis.arena;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class NodeMetricsTest {
  private static final String WALKS = "quorate_storage_bodies_walks_total";

  @Test
  void theValuesOfEachLabelAreReadFromTheMetrics() {
    String metrics =
        """
        # TYPE quorate_storage_bodies_walks_total counter
        quorate_storage_bodies_walks_total{node="n1",walk="scrub"} 3.0
        quorate_storage_bodies_walks_total{node="n1",walk="search"} 12.0
        quorate_storage_bodies 4.0
        """;
    assertThat(NodeMetrics.parse(metrics, WALKS))
        .isEqualTo(
            Map.of(
                "quorate_storage_bodies_walks_total{node=\"n1\",walk=\"scrub\"}", 3.0,
                "quorate_storage_bodies_walks_total{node=\"n1\",walk=\"search\"}", 12.0));
  }

  @Test
  void withoutTheMetricThereIsNoValue() {
    assertThat(NodeMetrics.parse("quorate_storage_failures 0.0\n", WALKS)).isEmpty();
  }
}
