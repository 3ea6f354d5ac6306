package io.quorate.server.rpc.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.quorate.protocol.wire.v1.Latency;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
  private static final double ERROR_PERCENT = 12.5;

  @Test
  void eachTimeIsInABucketWhoseMiddleIsNear() {
    int before = 0;
    for (long micros = 0; micros < 1 << 26; micros += 1 + micros / 50) {
      int bucket = LatencyHistogram.bucket(micros);
      assertThat(bucket).isBetween(before, before + 1);
      assertThat(LatencyHistogram.middle(bucket))
          .isCloseTo(micros, within(Math.max(0.5, micros * ERROR_PERCENT / 100)));
      before = bucket;
    }
    assertThat(LatencyHistogram.bucket(Long.MAX_VALUE)).isGreaterThanOrEqualTo(before);
    assertThat(LatencyHistogram.bucket(-1)).isZero();
  }

  @Test
  void meanAndPercentileAreThoseOfTheTimes() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    LatencyHistogram histogram = new LatencyHistogram();
    long[] micros =
        random
            .longs(20_000, 50, 100_000)
            .peek(time -> histogram.record(TimeUnit.MICROSECONDS.toNanos(time)))
            .sorted()
            .toArray();
    Latency latency = LatencyHistogram.latency(histogram.counts()).orElseThrow();
    assertThat((double) latency.getMeanMicros())
        .as("seed %d", seed)
        .isCloseTo(Arrays.stream(micros).average().orElseThrow(), percent());
    assertThat((double) latency.getP99Micros())
        .as("seed %d", seed)
        .isCloseTo(micros[(int) (0.99 * micros.length)], percent());
  }

  @Test
  void withoutATimeThereIsNoLatency() {
    assertThat(LatencyHistogram.latency(new LatencyHistogram().counts())).isEmpty();
  }

  private static Percentage percent() {
    return Percentage.withPercentage(ERROR_PERCENT);
  }
}
