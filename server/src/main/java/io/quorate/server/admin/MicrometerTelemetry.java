package io.quorate.server.admin;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.quorate.consensus.MetricsSink;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** Telemetry in a Micrometer registry, each name with the prefix of the product. Any thread. */
public final class MicrometerTelemetry implements MetricsSink {
  private static final String PREFIX = "quorate.";
  private static final int BUCKET_FACTOR = 4;
  private static final Duration BUCKET_TIME_MIN = Duration.ofNanos(16_000);

  private final MeterRegistry registry;

  /** Strong references to the suppliers of counters, which Micrometer references weakly. */
  private final Map<Meter.Id, DoubleSupplier> counterValues = new ConcurrentHashMap<>();

  public MicrometerTelemetry(MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  public Counter counter(String name, String help, Map<String, String> tags) {
    io.micrometer.core.instrument.Counter counter =
        io.micrometer.core.instrument.Counter.builder(PREFIX + name)
            .description(help)
            .tags(tags(tags))
            .register(registry);
    return counter::increment;
  }

  @Override
  public void counter(String name, String help, Map<String, String> tags, DoubleSupplier value) {
    removeExisting(registry.find(PREFIX + name).tags(tags(tags)).functionCounter());
    FunctionCounter counter =
        FunctionCounter.builder(PREFIX + name, value, DoubleSupplier::getAsDouble)
            .description(help)
            .tags(tags(tags))
            .register(registry);
    counterValues.put(counter.getId(), value);
  }

  /** Buckets grow fourfold from 1 up to {@code maximum}, so that histograms of all nodes add up. */
  @Override
  public Distribution distribution(
      String name, String help, Map<String, String> tags, long maximum) {
    double[] buckets =
        DoubleStream.iterate(1, bound -> bound < maximum, bound -> bound * BUCKET_FACTOR).toArray();
    DistributionSummary summary =
        DistributionSummary.builder(PREFIX + name)
            .description(help)
            .tags(tags(tags))
            .serviceLevelObjectives(buckets)
            .maximumExpectedValue((double) maximum)
            .register(registry);
    return summary::record;
  }

  /** Buckets grow fourfold, from 16 microseconds. */
  @Override
  public Timer timer(String name, String help, Map<String, String> tags, Duration maximum) {
    Duration[] buckets =
        Stream.iterate(
                BUCKET_TIME_MIN,
                bound -> bound.compareTo(maximum) < 0,
                bound -> bound.multipliedBy(BUCKET_FACTOR))
            .toArray(Duration[]::new);
    io.micrometer.core.instrument.Timer timer =
        io.micrometer.core.instrument.Timer.builder(PREFIX + name)
            .description(help)
            .tags(tags(tags))
            .serviceLevelObjectives(buckets)
            .minimumExpectedValue(BUCKET_TIME_MIN)
            .maximumExpectedValue(maximum)
            .register(registry);
    return nanos -> timer.record(nanos, TimeUnit.NANOSECONDS);
  }

  @Override
  public void gauge(String name, String help, Map<String, String> tags, DoubleSupplier value) {
    removeExisting(registry.find(PREFIX + name).tags(tags(tags)).gauge());
    Gauge.builder(PREFIX + name, value::getAsDouble)
        .description(help)
        .tags(tags(tags))
        .register(registry);
  }

  /** Removes the meter of an earlier instance: a region that is opened again has new objects. */
  private void removeExisting(Meter existing) {
    if (existing != null) {
      registry.remove(existing);
    }
  }

  private static Tags tags(Map<String, String> tags) {
    return Tags.of(
        tags.entrySet().stream().map(tag -> Tag.of(tag.getKey(), tag.getValue())).toList());
  }
}
