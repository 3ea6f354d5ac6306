package io.quorate.benchmarks.overload;

import java.util.OptionalDouble;

/**
 * What was measured at one rate of calls.
 *
 * @param multiple of the peak that was offered
 * @param offered calls per second that were due, those that were not sent included
 * @param calls what became of them
 * @param modest what a modest client saw
 * @param health what a monitor saw; nothing of a database without one
 * @param refusedInTime the percentage of the refusals that took the server 10 ms at most; empty if
 *     it refused nothing, or does not tell
 */
record OverloadLevel(
    double multiple,
    double offered,
    Calls calls,
    Regular.Seen modest,
    Regular.Seen health,
    OptionalDouble refusedInTime) {

  /**
   * Many calls.
   *
   * @param served calls per second that succeeded
   * @param failed the percentage of the calls that were sent and failed
   * @param unsent the percentage of the calls that were not sent, as too many were in flight
   * @param p99 of the calls that succeeded, in milliseconds
   */
  record Calls(double served, double failed, double unsent, double p99) {}
}
