package io.quorate.ratis.metrics;

import io.quorate.consensus.Telemetry;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;

/** The measurements of one part of one group member. */
final class TelemetryRegistry implements RatisMetricRegistry {
  private static final long LONGEST_MICROS = 60_000_000;

  private final MetricRegistryInfo info;
  private final Telemetry telemetry;
  private final Map<String, String> tags;

  TelemetryRegistry(MetricRegistryInfo info, Telemetry telemetry, Map<String, String> tags) {
    this.info = info;
    this.telemetry = telemetry;
    this.tags = tags;
  }

  @Override
  public Timekeeper timer(String name) {
    Telemetry.Distribution micros =
        telemetry.distribution(fullName(name) + ".micros", tags, LONGEST_MICROS);
    return () -> {
      long started = System.nanoTime();
      return () -> {
        long elapsed = System.nanoTime() - started;
        micros.record(elapsed / 1000);
        return elapsed;
      };
    };
  }

  /** Ratis counts down as well as up, so this is a gauge to the collector. */
  @Override
  public LongCounter counter(String name) {
    LongAdder count = new LongAdder();
    telemetry.gauge(fullName(name) + ".count", tags, count::sum);
    return new LongCounter() {
      @Override
      public void inc(long n) {
        count.add(n);
      }

      @Override
      public void dec(long n) {
        count.add(-n);
      }

      @Override
      public long getCount() {
        return count.sum();
      }
    };
  }

  @Override
  public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {
    Supplier<T> value = gauge.get();
    telemetry.gauge(
        fullName(name),
        tags,
        () -> value.get() instanceof Number number ? number.doubleValue() : Double.NaN);
  }

  @Override
  public boolean remove(String name) {
    return false;
  }

  @Override
  public MetricRegistryInfo getMetricRegistryInfo() {
    return info;
  }

  private String fullName(String name) {
    return "ratis." + words(info.getMetricsComponentName()) + "." + words(name);
  }

  /** {@code appendEntryLatency} to {@code append.entry.latency}. */
  private static String words(String camelCase) {
    return camelCase
        .replaceAll("([a-z0-9])([A-Z])", "$1.$2")
        .replaceAll("[^A-Za-z0-9]+", ".")
        .toLowerCase(Locale.ROOT);
  }
}
