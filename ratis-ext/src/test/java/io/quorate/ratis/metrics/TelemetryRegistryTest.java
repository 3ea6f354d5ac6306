package io.quorate.ratis.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.quorate.consensus.MetricsSink;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
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
  void selectedMetricsAreForwarded() {
    RatisMetricRegistry registry = registries.create(info(MEMBER));
    registry.timer("follower_append_entry_latency");
    registry.timer("readEntryLatency");
    registry.counter("numInstallSnapshot");
    registry.counter("numRequests.SUCCESS");
    registry.gauge("follower_n2_lag", () -> () -> 3);
    assertThat(collected.timers).containsOnlyKeys("raft.follower.append");
    assertThat(collected.values).containsOnlyKeys("raft.snapshots.requested");
    assertThat(collected.tags).isEqualTo(TAGS);
  }

  @Test
  void aTimerRecordsNanoseconds() {
    long nanos =
        registries.create(info(MEMBER)).timer("follower_append_entry_latency").time().stop();
    assertThat(collected.timers.get("raft.follower.append").get()).isEqualTo(nanos);
    assertThat(registries.create(info(MEMBER)).timer("other").time().stop()).isPositive();
  }

  @Test
  void aCounterGoesUpAndDown() {
    LongCounter counter = registries.create(info(MEMBER)).counter("numInstallSnapshot");
    counter.inc(5);
    counter.dec(2);
    assertThat(counter.getCount()).isEqualTo(3);
    assertThat(collected.values.get("raft.snapshots.requested").getAsDouble()).isEqualTo(3);
  }

  @Test
  void metricsOfAnotherMemberAreNotForwarded() {
    RatisMetricRegistry registry = registries.create(info("n2@group-0"));
    registry.counter("numInstallSnapshot").inc(1);
    assertThat(collected.values).isEmpty();
  }

  @Test
  void aRegistryIsCreatedOnceAndCanBeRemoved() {
    RatisMetricRegistry registry = registries.create(info(MEMBER));
    assertThat(registries.create(info(MEMBER))).isSameAs(registry);
    assertThat(registries.get(info(MEMBER))).containsSame(registry);
    assertThat(registries.remove(info(MEMBER))).isTrue();
    assertThat(registries.remove(info(MEMBER))).isFalse();
    assertThat(registries.getMetricRegistries()).isEmpty();
  }

  private static MetricRegistryInfo info(String member) {
    return new MetricRegistryInfo(member, "ratis", "server", "what the server does");
  }

  private static final class Collected implements MetricsSink {
    private final Map<String, AtomicLong> timers = new HashMap<>();
    private final Map<String, DoubleSupplier> values = new HashMap<>();
    private Map<String, String> tags = Map.of();

    @Override
    public Counter counter(String name, String help, Map<String, String> ofTags) {
      return amount -> {};
    }

    @Override
    public void counter(
        String name, String help, Map<String, String> ofTags, DoubleSupplier value) {
      gauge(name, help, ofTags, value);
    }

    @Override
    public Distribution distribution(
        String name, String help, Map<String, String> ofTags, long maximum) {
      return value -> {};
    }

    @Override
    public Timer timer(String name, String help, Map<String, String> ofTags, Duration maximum) {
      assertThat(ofTags).as("histograms are of the node").isEmpty();
      AtomicLong last = new AtomicLong();
      timers.put(name, last);
      return last::set;
    }

    @Override
    public void gauge(String name, String help, Map<String, String> ofTags, DoubleSupplier value) {
      tags = ofTags;
      values.put(name, value);
    }

    @Override
    public void remove(String tag, String value) {
      throw new UnsupportedOperationException();
    }
  }
}
