package io.quorate.storage;

import io.quorate.consensus.MetricsSink;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.DoubleSupplier;

/** Records all metrics, by their names. */
public final class Measurements implements MetricsSink {
  public final Map<String, AtomicLong> values = new ConcurrentHashMap<>();
  public final Map<String, DoubleSupplier> gauges = new ConcurrentHashMap<>();

  @Override
  public Counter counter(String name, String help, Map<String, String> tags) {
    AtomicLong value = values.computeIfAbsent(name, any -> new AtomicLong());
    return value::addAndGet;
  }

  @Override
  public void counter(String name, String help, Map<String, String> tags, DoubleSupplier value) {
    gauge(name, help, tags, value);
  }

  @Override
  public Distribution distribution(
      String name, String help, Map<String, String> tags, long maximum) {
    return values.computeIfAbsent(name, any -> new AtomicLong())::set;
  }

  @Override
  public Timer timer(String name, String help, Map<String, String> tags, Duration maximum) {
    return values.computeIfAbsent(name, any -> new AtomicLong())::set;
  }

  @Override
  public void gauge(String name, String help, Map<String, String> tags, DoubleSupplier value) {
    gauges.put(name, value);
  }

  @Override
  public void remove(String tag, String value) {
    throw new UnsupportedOperationException();
  }
}
