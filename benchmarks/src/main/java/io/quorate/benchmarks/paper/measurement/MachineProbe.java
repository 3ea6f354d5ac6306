package io.quorate.benchmarks.paper.measurement;

import com.sun.management.OperatingSystemMXBean;
import io.quorate.benchmarks.paper.result.Metric;
import java.lang.management.ManagementFactory;
import java.util.Map;

/**
 * Measures how busy all cores are, with nodes, clients and all other programs: close to 100 %, the
 * processors limit the throughput, whatever else is measured.
 */
final class MachineProbe implements Probe {
  private static final double PERCENT = 100;

  private final OperatingSystemMXBean system =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

  private MachineProbe() {
    // Each call reports the time since the call before.
    system.getCpuLoad();
  }

  /** Begins a measurement. One at a time. */
  static MachineProbe open() {
    return new MachineProbe();
  }

  @Override
  public Map<Metric, Double> end(long commands) {
    double load = system.getCpuLoad();
    return load >= 0 ? Map.of(Metric.CPU_MACHINE, load * PERCENT) : Map.of();
  }

  @Override
  public void close() {}
}
