package io.quorate.benchmarks.costs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.quorate.benchmarks.cluster.ContextSwitches;
import io.quorate.benchmarks.metrics.PrometheusText;
import io.quorate.benchmarks.metrics.Scrape;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CallCostsTest {
  private static final NodeCounters BEFORE =
      new NodeCounters(
          Duration.ofSeconds(10),
          Duration.ofSeconds(1),
          switches(20_000),
          switches(700),
          1000,
          5e6,
          7_000_000);

  private static ContextSwitches switches(long count) {
    return new ContextSwitches(Map.of(1L, count));
  }

  @Test
  void processorTimeAndSwitchesAreThoseOfAllNodesAndTheRestThoseOfOne() {
    NodeCounters after =
        new NodeCounters(
            Duration.ofSeconds(12),
            Duration.ofMillis(1500),
            switches(20_000 + 55_000),
            switches(700 + 15_000),
            1000 + 1500,
            5e6 + 3e8,
            7_000_000 + 3 * 25_000_000);

    CallCosts costs = CallCosts.of(BEFORE, after, 10_000, 10_000_000, 3);

    assertThat(costs.processorMicros()).isCloseTo(200, within(1e-9));
    assertThat(costs.clientMicros()).isCloseTo(50, within(1e-9));
    assertThat(costs.switches()).isCloseTo(5.5, within(1e-9));
    assertThat(costs.clientSwitches()).isCloseTo(1.5, within(1e-9));
    assertThat(costs.syncs()).isCloseTo(0.05, within(1e-9));
    assertThat(costs.allocatedBytes()).isCloseTo(10_000, within(1e-6));
    assertThat(costs.writtenBytes()).isCloseTo(2.5, within(1e-9));
  }

  @Test
  void callsWithoutValuesHaveNoFactorOfWrites() {
    assertThat(CallCosts.of(BEFORE, BEFORE, 10, 0, 3).writtenBytes()).isZero();
  }

  @Test
  void whatWasAllocatedSinceTheLastCollectionCounts() {
    Scrape scrape =
        new Scrape(
            PrometheusText.parse(
                """
                jvm_gc_memory_allocated_bytes_total{node="n1"} 1000
                jvm_memory_used_bytes{area="heap",id="G1 Eden Space",node="n1"} 200
                jvm_memory_used_bytes{area="heap",id="G1 Old Gen",node="n1"} 40000
                jvm_gc_memory_allocated_bytes_total{node="n2"} 3
                jvm_memory_used_bytes{area="heap",id="Eden Space",node="n2"} 7
                """));

    assertThat(NodeCounters.allocatedBytes(scrape)).isEqualTo(1210);
  }
}
