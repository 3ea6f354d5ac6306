package io.quorate.ratis.fence;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * What a voter owes a leader that serves reads under a lease (PROTOCOLS L9c): after an
 * acknowledgement it helps elect nobody for as long as the leader asked.
 *
 * <p>Time is this machine's monotonic clock; that clocks of different machines advance at about the
 * same rate is the assumption a lease rests on. Thread-safe.
 */
final class LeasePromises {
  private final LongSupplier nanoTime;
  private final long startNanos;
  private final long fromBeforeNanos;
  private final Map<RaftGroupId, Long> keptUntilNanos = new ConcurrentHashMap<>();

  /**
   * @param fromBefore how long promises may go on that were made before this start, of which
   *     nothing is remembered; zero where no leader uses leases
   */
  LeasePromises(Duration fromBefore, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.fromBeforeNanos = fromBefore.toNanos();
  }

  /**
   * Promises to help elect nobody from now on for {@code length}. To be called before the
   * acknowledgement leaves, so that the promise outlasts the leader's lease.
   */
  void keep(RaftGroupId group, Duration length) {
    long until = nanoTime.getAsLong() + length.toNanos();
    keptUntilNanos.merge(group, until, (a, b) -> b - a > 0 ? b : a);
  }

  /** Whether a promise made for the group is still to be kept. */
  boolean isBound(RaftGroupId group) {
    long now = nanoTime.getAsLong();
    if (now - startNanos < fromBeforeNanos) {
      return true;
    }
    Long until = keptUntilNanos.get(group);
    return until != null && now - until < 0;
  }
}
