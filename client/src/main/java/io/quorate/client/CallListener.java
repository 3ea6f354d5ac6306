package io.quorate.client;

/**
 * Receives a report of each call that reads or writes keys when the call ends: for metrics, traces,
 * or a log of slow calls. {@link ClientMetrics} is one for Micrometer.
 */
@FunctionalInterface
public interface CallListener {
  /**
   * A call has ended; its future completes next. Runs on the client's only thread, or on the
   * caller's where the call ended before it was sent: must not block. What it throws is logged, and
   * changes nothing for the call.
   */
  void ended(CallReport call);
}
