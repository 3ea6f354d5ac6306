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
import java.util.function.Supplier;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** Telemetry in a Micrometer registry, each name with the prefix of the product. Any thread. */
public final class MicrometerTelemetry implements MetricsSink {
  private static final String PREFIX = "quorate.";
  private static final int BUCKET_FACTOR = 4;
  private static final Duration BUCKET_TIME_MIN = Duration.ofNanos(16_000);

  private final MeterRegistry registry;

  /**
   * A meter that reads its value, which is replaced when it is registered again: a region that is
   * opened again has new objects. Micrometer would search all meters for it.
   *
   * @param value a strong reference, where Micrometer has a weak one
   */
  private record Observed(Meter meter, DoubleSupplier value) {}

  private record Name(String name, Map<String, String> tags) {}

  private final Map<Name, Observed> observed = new ConcurrentHashMap<>();

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
    replace(
        new Name(name, tags),
        value,
        () ->
            FunctionCounter.builder(PREFIX + name, value, DoubleSupplier::getAsDouble)
                .description(help)
                .tags(tags(tags))
                .register(registry));
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
    replace(
        new Name(name, tags),
        value,
        () ->
            Gauge.builder(PREFIX + name, value::getAsDouble)
                .description(help)
                .tags(tags(tags))
                .register(registry));
  }

  @Override
  public void remove(String tag, String value) {
    observed.keySet().removeIf(name -> value.equals(name.tags().get(tag)));
    registry.getMeters().stream()
        .map(Meter::getId)
        .filter(id -> value.equals(id.getTag(tag)))
        .forEach(registry::remove);
  }

  private void replace(Name name, DoubleSupplier value, Supplier<Meter> meter) {
    observed.compute(
        name,
        (same, former) -> {
          if (former != null) {
            registry.remove(former.meter());
          }
          return new Observed(meter.get(), value);
        });
  }

  private static Tags tags(Map<String, String> tags) {
    return Tags.of(
        tags.entrySet().stream().map(tag -> Tag.of(tag.getKey(), tag.getValue())).toList());
  }
}
