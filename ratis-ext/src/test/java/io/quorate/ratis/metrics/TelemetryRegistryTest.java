package io.quorate.ratis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.Telemetry;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TelemetryRegistryTest {
  private static final String MEMBER = "n1@group-0";
  private static final Map<String, String> TAGS = Map.of("region", "7");

  private final Collected collected = new Collected();
  private final TelemetryRegistries registries = new TelemetryRegistries();

  @BeforeEach
  void attach() {
    TelemetryRegistries.attach(MEMBER, collected, TAGS);
  }

  @AfterEach
  void detach() {
    TelemetryRegistries.detach(MEMBER);
  }

  @Test
  void namesAreDottedLowerCaseWithTheUnitLast() {
    RatisMetricRegistry registry = registries.create(info(MEMBER));
    registry.timer("appendEntryLatency");
    registry.counter("numRequests.SUCCESS");
    registry.gauge("follower_n2_lag", () -> () -> 3);
    assertThat(collected.distributions)
        .containsOnlyKeys("ratis.log.worker.append.entry.latency.micros");
    assertThat(collected.gauges)
        .containsOnlyKeys(
            "ratis.log.worker.num.requests.success.count", "ratis.log.worker.follower.n2.lag");
    assertThat(collected.tags).isEqualTo(TAGS);
  }

  @Test
  void aTimerRecordsMicroseconds() {
    Timekeeper timer = registries.create(info(MEMBER)).timer("x");
    long nanos = timer.time().stop();
    assertThat(collected.distributions.get("ratis.log.worker.x.micros").get())
        .isEqualTo(nanos / 1000);
  }

  @Test
  void aCounterGoesUpAndDown() {
    LongCounter counter = registries.create(info(MEMBER)).counter("x");
    counter.inc(5);
    counter.dec(2);
    assertThat(counter.getCount()).isEqualTo(3);
    assertThat(collected.gauges.get("ratis.log.worker.x.count").getAsDouble()).isEqualTo(3);
  }

  @Test
  void aGaugeThatIsNoNumberIsNotANumber() {
    registries.create(info(MEMBER)).gauge("x", () -> () -> "text");
    assertThat(collected.gauges.get("ratis.log.worker.x").getAsDouble()).isNaN();
  }

  @Test
  void oneMembersMeasurementsDoNotGoToAnother() {
    RatisMetricRegistry registry = registries.create(info("n2@group-0"));
    registry.counter("x").inc(1);
    assertThat(collected.gauges).isEmpty();
  }

  @Test
  void aRegistryIsMadeOnceAndForgottenWhenItIsRemoved() {
    RatisMetricRegistry registry = registries.create(info(MEMBER));
    assertThat(registries.create(info(MEMBER))).isSameAs(registry);
    assertThat(registries.get(info(MEMBER))).containsSame(registry);
    assertThat(registries.remove(info(MEMBER))).isTrue();
    assertThat(registries.remove(info(MEMBER))).isFalse();
    assertThat(registries.getMetricRegistries()).isEmpty();
  }

  private static MetricRegistryInfo info(String member) {
    return new MetricRegistryInfo(member, "ratis", "log_worker", "what the log's worker does");
  }

  private static final class Collected implements Telemetry {
    private final Map<String, AtomicLong> distributions = new HashMap<>();
    private final Map<String, DoubleSupplier> gauges = new HashMap<>();
    private Map<String, String> tags = Map.of();

    @Override
    public Counter counter(String name, Map<String, String> ofTags) {
      return amount -> {};
    }

    @Override
    public Distribution distribution(String name, Map<String, String> ofTags, long maximum) {
      tags = ofTags;
      AtomicLong last = new AtomicLong();
      distributions.put(name, last);
      return last::set;
    }

    @Override
    public void gauge(String name, Map<String, String> ofTags, DoubleSupplier value) {
      tags = ofTags;
      gauges.put(name, value);
    }
  }
}
