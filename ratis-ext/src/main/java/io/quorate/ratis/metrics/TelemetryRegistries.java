package io.quorate.ratis.metrics;

import io.quorate.consensus.MetricsSink;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.ratis.metrics.MetricRegistries;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.util.TimeDuration;

/**
 * The metric registries of Ratis, which finds this class through {@link java.util.ServiceLoader},
 * once a process. Each registry is named after the group member it belongs to, and that name
 * selects its metrics sink.
 */
public final class TelemetryRegistries extends MetricRegistries {
  /** The metrics sink of a member, and the tags of its metrics. */
  private record Target(MetricsSink telemetry, Map<String, String> tags) {}

  private static final Map<String, Target> TARGETS = new ConcurrentHashMap<>();

  private final Map<MetricRegistryInfo, RatisMetricRegistry> registries = new ConcurrentHashMap<>();

  /**
   * To be called before a member starts.
   *
   * @param member the member as Ratis prints it
   * @param tags added to each of its metrics
   */
  public static void attach(String member, MetricsSink telemetry, Map<String, String> tags) {
    TARGETS.put(member, new Target(telemetry, tags));
  }

  /** To be called after a member has closed. */
  public static void detach(String member) {
    TARGETS.remove(member);
  }

  @Override
  public RatisMetricRegistry create(MetricRegistryInfo info) {
    return registries.computeIfAbsent(
        info,
        key -> {
          Target target = TARGETS.get(key.getPrefix());
          return target == null
              ? new TelemetryRegistry(key, MetricsSink.NONE, Map.of())
              : new TelemetryRegistry(key, target.telemetry(), target.tags());
        });
  }

  @Override
  public boolean remove(MetricRegistryInfo key) {
    return registries.remove(key) != null;
  }

  @Override
  public Optional<RatisMetricRegistry> get(MetricRegistryInfo info) {
    return Optional.ofNullable(registries.get(info));
  }

  @Override
  public Set<MetricRegistryInfo> getMetricRegistryInfos() {
    return Set.copyOf(registries.keySet());
  }

  @Override
  public Collection<RatisMetricRegistry> getMetricRegistries() {
    return List.copyOf(registries.values());
  }

  @Override
  public void clear() {
    registries.clear();
  }

  /** Does nothing: the metrics sink reports the metrics. */
  @Override
  public void addReporterRegistration(
      Consumer<RatisMetricRegistry> reporterRegistration,
      Consumer<RatisMetricRegistry> stopReporter) {}

  @Override
  public void enableJmxReporter() {}

  @Override
  public void enableConsoleReporter(TimeDuration consoleReportRate) {}
}
