package io.quorate.benchmarks.report;

import java.lang.management.ManagementFactory;

/**
 * The properties of the machine that are required to interpret a figure.
 *
 * @param cores number of processors that this JVM may use
 * @param load load average of the system over one minute; negative if the system has none
 */
public record Machine(int cores, double load) {

  /** Returns the current properties of the machine. */
  public static Machine now() {
    return new Machine(
        Runtime.getRuntime().availableProcessors(),
        ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
  }
}
