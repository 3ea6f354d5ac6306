package io.quorate.client;

/**
 * Receives a report of each call that reads or writes keys when the call ends: for metrics, traces,
 * or a log of slow calls. {@link ClientMetrics} is an implementation for Micrometer.
 */
@FunctionalInterface
public interface CallListener {
  /**
   * Called when a call has ended, before its future completes. Runs on the client's only thread, or
   * on the caller's thread if the call ended before it was queued; must not block. An exception
   * that this method throws is logged and does not affect the call.
   */
  void ended(CallReport call);
}
