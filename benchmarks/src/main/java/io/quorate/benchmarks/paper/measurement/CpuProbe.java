package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.paper.result.Metric;
import io.quorate.server.localcluster.NodeProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Measures the CPU time of the processes of the nodes. Other load on the machine has little effect
 * on it: if the CPU limits the throughput, the CPU time indicates the throughput on an otherwise
 * idle machine.
 */
public final class CpuProbe implements Probe {
  private static final double NANOS_PER_MICRO = 1e3;
  private static final double PERCENT = 100;

  /** Each returns the process of a node, if it runs. */
  private final List<Supplier<Optional<ProcessHandle>>> nodes;

  private final Optional<List<Duration>> before;
  private final long openedNanos = System.nanoTime();

  private CpuProbe(List<Supplier<Optional<ProcessHandle>>> nodes) {
    this.nodes = nodes;
    this.before = used(nodes);
  }

  /** Begins a measurement of these nodes. */
  public static CpuProbe open(List<NodeProcess> nodes) {
    return new CpuProbe(
        nodes.stream().<Supplier<Optional<ProcessHandle>>>map(node -> node::handle).toList());
  }

  /** Begins a measurement of these processes, each of which is a node. */
  public static CpuProbe ofProcesses(List<ProcessHandle> processes) {
    return new CpuProbe(
        processes.stream()
            .<Supplier<Optional<ProcessHandle>>>map(process -> () -> Optional.of(process))
            .toList());
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
   * Computes the figures from the CPU times of the nodes. Without side effects.
   *
   * @param tookNanos time between the two measurements
   * @param commands number of commands that completed between them
   */
  static Map<Metric, Double> figures(
      List<Duration> before, List<Duration> after, long tookNanos, long commands) {
    Map<Metric, Double> figures = new EnumMap<>(Metric.class);
    double sum = 0;
    double max = 0;
    for (int i = 0; i < before.size(); i++) {
      double nanos = after.get(i).minus(before.get(i)).toNanos();
      sum += nanos;
      max = Math.max(max, nanos);
    }
    if (commands > 0) {
      figures.put(Metric.CPU_PER_CALL, sum / NANOS_PER_MICRO / commands);
    }
    figures.put(Metric.CPU, PERCENT * sum / tookNanos);
    figures.put(Metric.CPU_BUSIEST, PERCENT * max / tookNanos);
    return figures;
  }

  /** The CPU time of each node; empty if the system does not report it. */
  private static Optional<List<Duration>> used(List<Supplier<Optional<ProcessHandle>>> nodes) {
    List<Duration> used = new ArrayList<>();
    for (Supplier<Optional<ProcessHandle>> node : nodes) {
      node.get().flatMap(handle -> handle.info().totalCpuDuration()).ifPresent(used::add);
    }
    return used.size() == nodes.size() ? Optional.of(used) : Optional.empty();
  }

  @Override
  public void close() {}
}
