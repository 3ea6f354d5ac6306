package io.quorate.ratis.metrics;

import io.quorate.consensus.MetricsSink;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.ratis.metrics.LongCounter;
import org.apache.ratis.metrics.MetricRegistryInfo;
import org.apache.ratis.metrics.RatisMetricRegistry;
import org.apache.ratis.metrics.Timekeeper;

/**
 * The metrics of one component of one group member. Ratis has hundreds of metrics, many of parts
 * that are not used here, or with the names of nodes in theirs; only a selection is passed on.
 */
final class TelemetryRegistry implements RatisMetricRegistry {
  private static final Duration DURATION_MAX = Duration.ofMinutes(1);

  /** The name and the help text that a metric of Ratis has here. */
  private record Selected(String name, String help) {}

  /** The selected metrics, by component and name in Ratis. */
  private static final Map<String, Selected> SELECTED =
      Map.of(
          "leader_election.electionCount",
          new Selected("raft.elections", "Elections that this replica began"),
          "server.follower_append_entry_latency",
          new Selected("raft.follower.append", "Time that a follower takes for a request"),
          "server.numInstallSnapshot",
          new Selected(
              "raft.snapshots.requested", "Snapshots that a leader reported to this replica"));

  private final MetricRegistryInfo info;
  private final MetricsSink telemetry;
  private final Map<String, String> tags;

  TelemetryRegistry(MetricRegistryInfo info, MetricsSink telemetry, Map<String, String> tags) {
    this.info = info;
    this.telemetry = telemetry;
    this.tags = tags;
  }

  @Override
  public Timekeeper timer(String name) {
    MetricsSink.Timer timer =
        selected(name)
            .map(chosen -> telemetry.timer(chosen.name(), chosen.help(), Map.of(), DURATION_MAX))
            .orElse(nanos -> {});
    return () -> {
      long started = System.nanoTime();
      return () -> {
        long elapsed = System.nanoTime() - started;
        timer.record(elapsed);
        return elapsed;
      };
    };
  }

  /** The selected counters only increase. */
  @Override
  public LongCounter counter(String name) {
    LongAdder count = new LongAdder();
    selected(name)
        .ifPresent(chosen -> telemetry.counter(chosen.name(), chosen.help(), tags, count::sum));
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

  /** None of them is selected. */
  @Override
  public <T> void gauge(String name, Supplier<Supplier<T>> gauge) {}

  @Override
  public boolean remove(String name) {
    return false;
  }

  @Override
  public MetricRegistryInfo getMetricRegistryInfo() {
    return info;
  }

  private Optional<Selected> selected(String name) {
    return Optional.ofNullable(SELECTED.get(info.getMetricsComponentName() + "." + name));
  }
}
