package io.quorate.replication.transport;

import io.quorate.consensus.MetricsSink;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/** Records metrics by name and, where there is one, the value of the only tag. */
final class CountingTelemetry implements MetricsSink {
  private final Map<String, LongAdder> counters = new ConcurrentHashMap<>();
  private final Map<String, DoubleSupplier> gauges = new ConcurrentHashMap<>();

  long count(String name) {
    return counters.get("rabia.transport." + name).sum();
  }

  double gauge(String name) {
    return gauges.get("rabia.transport." + name).getAsDouble();
  }

  @Override
  public Counter counter(String name, String help, Map<String, String> tags) {
    LongAdder sum = counters.computeIfAbsent(key(name, tags), ignored -> new LongAdder());
    return sum::add;
  }

  @Override
  public void counter(String name, String help, Map<String, String> tags, DoubleSupplier value) {
    gauge(name, help, tags, value);
  }

  @Override
  public Distribution distribution(
      String name, String help, Map<String, String> tags, long maximum) {
    return value -> {};
  }

  @Override
  public Timer timer(String name, String help, Map<String, String> tags, Duration maximum) {
    return nanos -> {};
  }

  @Override
  public void gauge(String name, String help, Map<String, String> tags, DoubleSupplier value) {
    gauges.put(key(name, tags), value);
  }

  @Override
  public void remove(String tag, String value) {
    throw new UnsupportedOperationException();
  }

  private static String key(String name, Map<String, String> tags) {
    return tags.isEmpty() ? name : name + "/" + tags.values().iterator().next();
  }
}
