package io.quorate.torture.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class BodyWalksTest {
  @Test
  void theWalksOfEachKindAreReadFromTheMetrics() {
    String metrics =
        """
        # TYPE quorate_storage_bodies_walks_total counter
        quorate_storage_bodies_walks_total{node="n1",walk="scrub"} 3.0
        quorate_storage_bodies_walks_total{node="n1",walk="search"} 12.0
        quorate_storage_bodies 4.0
        """;
    assertThat(BodyWalks.parse(metrics))
        .isEqualTo(
            Map.of(
                "quorate_storage_bodies_walks_total{node=\"n1\",walk=\"scrub\"}", 3.0,
                "quorate_storage_bodies_walks_total{node=\"n1\",walk=\"search\"}", 12.0));
  }

  @Test
  void withoutTheMetricThereIsNoWalk() {
    assertThat(BodyWalks.parse("quorate_storage_failures 0.0\n")).isEmpty();
  }
}
