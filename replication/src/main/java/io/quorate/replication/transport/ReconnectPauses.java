package io.quorate.replication.transport;

import io.quorate.common.Backoff;
import java.util.SplittableRandom;

/**
 * The pauses before attempts to connect to one peer. They grow with each failed attempt and each
 * lost connection, and start anew after a connection that lasted longer than the longest pause.
 * Pure; not thread-safe.
 */
final class ReconnectPauses {
  private final Backoff backoff;
  private boolean open;
  private long openedNanos;

  /** Lost connections and failed attempts since a connection that lasted. */
  private int failures;

  ReconnectPauses(Backoff backoff) {
    this.backoff = backoff;
  }

  /** Notes that a connection is open. */
  void opened(long nowNanos) {
    open = true;
    openedNanos = nowNanos;
  }

  /**
   * Notes that a connection was lost or an attempt failed, and returns the pause before the next.
   */
  long closed(long nowNanos, SplittableRandom random) {
    if (open && nowNanos - openedNanos > backoff.maxNanos()) {
      failures = 0;
    }
    open = false;
    return backoff.jitteredNanos(failures++, random);
  }
}
