package io.quorate.benchmarks.paper.measurement;

import io.quorate.benchmarks.cluster.ContextSwitches;
import io.quorate.benchmarks.paper.result.Metric;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Measures the context switches of the processes of the nodes; nothing without {@code /proc}. */
public final class SwitchProbe implements Probe {
  private final List<Long> pids;
  private final Optional<ContextSwitches> before;

  private SwitchProbe(List<Long> pids) throws IOException {
    this.pids = pids;
    this.before =
        ContextSwitches.isSupported() ? Optional.of(ContextSwitches.of(pids)) : Optional.empty();
  }

  /**
   * Begins a measurement of these processes. Blocks.
   *
   * @throws IOException if one of them has ended
   */
  public static SwitchProbe ofProcesses(List<ProcessHandle> processes) throws IOException {
    return new SwitchProbe(processes.stream().map(ProcessHandle::pid).toList());
  }

  @Override
  public Map<Metric, Double> end(long commands) throws IOException {
    if (before.isEmpty() || commands == 0) {
      return Map.of();
    }
    double switches = ContextSwitches.of(pids).since(before.get());
    return Map.of(Metric.SWITCHES_PER_CALL, switches / commands);
  }

  @Override
  public void close() {}
}
