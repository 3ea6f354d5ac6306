package io.quorate.ratis.fence;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * What a voter owes a leader that serves reads under a lease (PROTOCOLS L9c): after an
 * acknowledgement it helps elect nobody for the length of the promise. A voter that has just
 * started does not remember its promises and so keeps one from its start.
 *
 * <p>Time is this machine's monotonic clock; that clocks of different machines advance at about the
 * same rate is the assumption a lease rests on.
 */
final class LeasePromises {
  private final long promiseNanos;
  private final LongSupplier nanoTime;
  private final long startNanos;
  private final Map<RaftGroupId, Long> renewedNanos = new ConcurrentHashMap<>();

  LeasePromises(Duration promise, LongSupplier nanoTime) {
    this.promiseNanos = promise.toNanos();
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
  }

  /** Called before the acknowledgement leaves, so that the promise covers the leader's lease. */
  void renew(RaftGroupId group) {
    renewedNanos.put(group, nanoTime.getAsLong());
  }

  boolean forbidsVote(RaftGroupId group) {
    long since = renewedNanos.getOrDefault(group, startNanos);
    return nanoTime.getAsLong() - since < promiseNanos;
  }
}
