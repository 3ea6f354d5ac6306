package io.quorate.benchmarks.paper.experiment;

import java.time.Duration;

/**
 * The durations of a run.
 *
 * @param rounds number of measurements of each system under each load, if the time suffices
 * @param ramp at the start of each measurement, not measured
 * @param slice the measured part of each measurement
 * @param warmup for each system, before the first measurement
 * @param durationMax maximum time, after which no round begins except the first on each cluster
 *     setup
 */
public record RunPlan(
    int rounds, Duration ramp, Duration slice, Duration warmup, Duration durationMax) {

  /**
   * A plan whose parts of a measurement are in milliseconds.
   *
   * @param ramp in milliseconds
   * @param slice in milliseconds
   * @param warmup in milliseconds
   */
  public static RunPlan ofMillis(
      int rounds, long ramp, long slice, long warmup, Duration durationMax) {
    return new RunPlan(
        rounds,
        Duration.ofMillis(ramp),
        Duration.ofMillis(slice),
        Duration.ofMillis(warmup),
        durationMax);
  }
}
