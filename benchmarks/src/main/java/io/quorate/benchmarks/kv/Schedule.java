package io.quorate.benchmarks.kv;

import java.time.Duration;

/**
 * How the time of a run is cut, so that workloads that are compared take turns: what else the
 * machine does then meets all of them alike.
 *
 * @param rounds how often every workload has its turn
 * @param rampNanos at the start of each turn, not measured
 * @param sliceNanos the measured part of each turn
 */
record Schedule(int rounds, long rampNanos, long sliceNanos) {
  private static final int ROUNDS_MOST = 5;
  private static final long SLICE_NANOS_LEAST = Duration.ofSeconds(2).toNanos();
  private static final long RAMP_NANOS_MOST = Duration.ofMillis(300).toNanos();

  /** For so much measured time a workload: one round if there is nothing to compare. */
  static Schedule of(Duration measured, int workloads) {
    long nanos = measured.toNanos();
    long fitting = workloads == 1 ? 1 : nanos / SLICE_NANOS_LEAST;
    int rounds = (int) Math.max(1, Math.min(ROUNDS_MOST, fitting));
    long slice = nanos / rounds;
    return new Schedule(rounds, Math.min(RAMP_NANOS_MOST, slice / 10), slice);
  }
}
