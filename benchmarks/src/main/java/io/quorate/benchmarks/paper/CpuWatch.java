package io.quorate.benchmarks.paper;

import io.quorate.server.dev.NodeProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * How much of the processors the nodes' processes take. What else the machine does counts little
 * here: where processors are what bounds throughput, this says what it would be alone.
 */
final class CpuWatch implements Watch {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double PERCENT = 100;

  private final List<NodeProcess> nodes;
  private final Optional<List<Duration>> before;
  private final long openedNanos = System.nanoTime();

  private CpuWatch(List<NodeProcess> nodes) {
    this.nodes = nodes;
    this.before = used(nodes);
  }

  static CpuWatch open(List<NodeProcess> nodes) {
    return new CpuWatch(nodes);
  }

  @Override
  public Map<Metric, Double> end(long commands) {
    long tookNanos = System.nanoTime() - openedNanos;
    Optional<List<Duration>> after = used(nodes);
    return before.isEmpty() || after.isEmpty()
        ? Map.of()
        : figures(before.get(), after.get(), tookNanos, commands);
  }

  /**
   * What the time of processors says, node by node. Pure.
   *
   * @param tookNanos between the two
   * @param commands answered between the two
   */
  static Map<Metric, Double> figures(
      List<Duration> before, List<Duration> after, long tookNanos, long commands) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    double sum = 0;
    double most = 0;
    for (int i = 0; i < before.size(); i++) {
      double nanos = after.get(i).minus(before.get(i)).toNanos();
      sum += nanos;
      most = Math.max(most, nanos);
    }
    if (commands > 0) {
      figures.put(Metric.CPU_PER_CALL, sum / NANOS_PER_MICRO / commands);
    }
    figures.put(Metric.CPU, PERCENT * sum / tookNanos);
    figures.put(Metric.CPU_BUSIEST, PERCENT * most / tookNanos);
    return figures;
  }

  /** Of each node; empty where the system does not tell. */
  private static Optional<List<Duration>> used(List<NodeProcess> nodes) {
    List<Duration> used = new ArrayList<>();
    for (NodeProcess node : nodes) {
      node.handle().flatMap(handle -> handle.info().totalCpuDuration()).ifPresent(used::add);
    }
    return used.size() == nodes.size() ? Optional.of(used) : Optional.empty();
  }

  @Override
  public void close() {}
}
