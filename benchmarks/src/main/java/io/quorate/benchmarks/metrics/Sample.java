package io.quorate.benchmarks.metrics;

import java.util.Map;

/**
 * One value of one metric.
 *
 * @param name the name in Prometheus, such as {@code rabia_messages}
 * @param labels by name
 */
public record Sample(String name, Map<String, String> labels, double value) {
  public Sample {
    labels = Map.copyOf(labels);
  }
}
