package io.quorate.benchmarks.kv;

import java.time.Duration;

/**
 * Divides the time of a run into slices, which alternate among the compared workloads so that other
 * load on the machine affects all of them equally.
 *
 * @param rounds number of slices of each workload
 * @param rampNanos ramp-up at the start of each slice, which is not measured
 * @param sliceNanos the measured part of each slice
 */
record SliceSchedule(int rounds, long rampNanos, long sliceNanos) {
  private static final int ROUNDS_MAX = 5;
  private static final long SLICE_NANOS_MIN = Duration.ofSeconds(2).toNanos();
  private static final long RAMP_NANOS_MAX = Duration.ofMillis(300).toNanos();

  /**
   * Creates a schedule with this measured time per workload; one round if there is nothing to
   * compare.
   */
  static SliceSchedule of(Duration measured, int workloads) {
    long nanos = measured.toNanos();
    long fitting = workloads == 1 ? 1 : nanos / SLICE_NANOS_MIN;
    int rounds = (int) Math.max(1, Math.min(ROUNDS_MAX, fitting));
    long slice = nanos / rounds;
    return new SliceSchedule(rounds, Math.min(RAMP_NANOS_MAX, slice / 10), slice);
  }
}
