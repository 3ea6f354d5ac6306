package io.quorate.benchmarks.peers.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.benchmarks.kv.CallKind;
import io.quorate.benchmarks.kv.KeyChoice;
import io.quorate.benchmarks.kv.KeySpace;
import io.quorate.benchmarks.kv.Mix;
import io.quorate.benchmarks.limits.Limit;
import io.quorate.benchmarks.paper.experiment.ClientLoad;
import io.quorate.benchmarks.paper.result.Metric;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LimitFractionsTest {
  private static final int CORES = 4;
  private static final Mix PUTS = Mix.of(CallKind.PUT);
  private static final Mix GETS = Mix.of(CallKind.GET);

  /** An fsync of 1 ms, round trips of 0.1 ms, and 200 MB/s. */
  private static final LimitFractions FRACTIONS =
      new LimitFractions(
          Map.of(Limit.SYNC_P50, 1.0, Limit.ROUND_TRIP_P50, 0.1, Limit.DISK_BANDWIDTH, 200.0),
          CORES);

  private static ClientLoad load(Mix mix, int clients, int valueBytes) {
    return new ClientLoad("load", mix, KeyChoice.UNIFORM, clients, new KeySpace(100), valueBytes);
  }

  @Test
  void aReplicatedPutNeedsOneSyncAndTwoRoundTrips() {
    assertThat(FRACTIONS.of(load(PUTS, 1, 1024), Map.of(Metric.WRITE_P50, 2.4), 3))
        .containsExactly(Map.entry(Metric.LATENCY_FLOOR, 50.0));
  }

  @Test
  void aPutThatIsNotReplicatedNeedsOneRoundTrip() {
    assertThat(FRACTIONS.of(load(PUTS, 1, 1024), Map.of(Metric.WRITE_P50, 1.1), 1))
        .containsExactly(Map.entry(Metric.LATENCY_FLOOR, 100.0));
  }

  @Test
  void aGetNeedsOneRoundTrip() {
    assertThat(
            FRACTIONS.of(load(GETS, 1, 1024), Map.of(Metric.READ_P50, 0.4, Metric.CPU, 120.0), 3))
        .containsExactly(Map.entry(Metric.LATENCY_FLOOR, 25.0));
  }

  @Test
  void manyClientsAreComparedWithCoresAndDisk() {
    Map<Metric, Double> figures =
        Map.of(Metric.THROUGHPUT, 500.0, Metric.CPU, 300.0, Metric.WRITE_P50, 2.4);

    // 500 values of 64 KB on 3 nodes are 96 MB/s.
    assertThat(FRACTIONS.of(load(PUTS, 64, 64_000), figures, 3))
        .containsOnly(Map.entry(Metric.CORES, 75.0), Map.entry(Metric.DISK_BANDWIDTH, 48.0));
    assertThat(FRACTIONS.of(load(GETS, 64, 1024), figures, 3))
        .containsOnly(Map.entry(Metric.CORES, 75.0));
  }

  @Test
  void mixedLoadsAreComparedWithCoresOnly() {
    Mix mixed = Mix.of(CallKind.GET, 0.95, CallKind.PUT);
    Map<Metric, Double> figures =
        Map.of(Metric.THROUGHPUT, 500.0, Metric.CPU, 100.0, Metric.READ_P50, 1.0);

    assertThat(FRACTIONS.of(load(mixed, 64, 1024), figures, 3))
        .containsOnly(Map.entry(Metric.CORES, 25.0));
    assertThat(FRACTIONS.of(load(mixed, 1, 1024), figures, 3)).isEmpty();
  }

  @Test
  void whatWasNotMeasuredHasNoFraction() {
    LimitFractions none = new LimitFractions(Map.of(), CORES);

    assertThat(none.of(load(PUTS, 1, 1024), Map.of(Metric.WRITE_P50, 2.0), 3)).isEmpty();
    assertThat(none.of(load(PUTS, 64, 1024), Map.of(Metric.THROUGHPUT, 9.0), 3)).isEmpty();
    assertThat(FRACTIONS.of(load(GETS, 1, 1024), Map.of(), 3)).isEmpty();
    assertThat(FRACTIONS.of(load(PUTS, 1, 1024), Map.of(Metric.WRITE_P50, 0.0), 3)).isEmpty();
  }
}
