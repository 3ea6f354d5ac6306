package io.quorate.server.node.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.protocol.wire.v1.TrafficSample;
import io.quorate.server.rpc.request.TrafficCounters;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class TrafficRingTest {
  private static final int SAMPLE_BYTES_MAX = 100;

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1000);
  private final TrafficRing ring = new TrafficRing(new TrafficCounters(), nanos::get);

  @Test
  void samplesCoverTheTimeWithoutAGap() {
    for (int i = 0; i < 21; i++) {
      pass(1050);
    }
    List<TrafficSample> samples = ring.samples();
    assertThat(samples).hasSize(4);
    for (int i = 1; i < samples.size(); i++) {
      assertThat(samples.get(i - 1).getAgeMs())
          .isEqualTo(samples.get(i).getAgeMs() + samples.get(i).getSpanMs());
    }
    assertThat(samples).allMatch(sample -> sample.getSpanMs() / 1000 == 5);
  }

  @Test
  void theNumberOfSamplesIsBounded() {
    for (int i = 0; i < 10 * TrafficRing.SAMPLES_MAX; i++) {
      pass(5000);
    }
    List<TrafficSample> samples = ring.samples();
    assertThat(samples).hasSize(TrafficRing.SAMPLES_MAX);
    assertThat(samples.get(0).getAgeMs()).isEqualTo((TrafficRing.SAMPLES_MAX - 1) * 5000);
    assertThat(samples).allMatch(sample -> sample.getSerializedSize() < SAMPLE_BYTES_MAX);
  }

  /**
   * The machine was suspended: the next sample is long, and those that were missed do not follow.
   */
  @Test
  void missedSamplesAreOne() {
    pass(60_000);
    pass(1000);
    assertThat(ring.samples()).hasSize(1);
    assertThat(ring.samples().get(0).getSpanMs()).isEqualTo(60_000);
  }

  private void pass(long millis) {
    nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    ring.run();
  }
}
