package io.quorate.server.admin;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.quorate.consensus.Telemetry;
import java.util.Map;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;

/** Telemetry into a Micrometer registry. Any thread. */
public final class MicrometerTelemetry implements Telemetry {
  private static final int BUCKET_FACTOR = 4;

  private final MeterRegistry registry;

  public MicrometerTelemetry(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Counter counter(String name, Map<String, String> tags) {
    io.micrometer.core.instrument.Counter counter = registry.counter(name, tags(tags));
    return counter::increment;
  }

  /** Buckets grow fourfold from 1 up to {@code maximum}, so that histograms of all nodes add up. */
  @Override
  public Distribution distribution(String name, Map<String, String> tags, long maximum) {
    double[] buckets =
        DoubleStream.iterate(1, bound -> bound < maximum, bound -> bound * BUCKET_FACTOR).toArray();
    DistributionSummary summary =
        DistributionSummary.builder(name)
            .tags(tags(tags))
            .serviceLevelObjectives(buckets)
            .maximumExpectedValue((double) maximum)
            .register(registry);
    return summary::record;
  }

  @Override
  public void gauge(String name, Map<String, String> tags, DoubleSupplier value) {
    Tags own = tags(tags);
    Meter earlier = registry.find(name).tags(own).gauge();
    if (earlier != null) {
      registry.remove(earlier);
    }
    Gauge.builder(name, value::getAsDouble).tags(own).register(registry);
  }

  private static Tags tags(Map<String, String> tags) {
    return Tags.of(
        tags.entrySet().stream().map(tag -> Tag.of(tag.getKey(), tag.getValue())).toList());
  }
}
