package io.quorate.benchmarks.report;

import java.lang.management.ManagementFactory;

/**
 * What must stand beside a figure for it to mean something.
 *
 * @param cores processors this JVM may use
 * @param load the system's load average over one minute; negative where the system has none
 */
public record Machine(int cores, double load) {

  /** The machine as it is now. */
  public static Machine now() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }
}
