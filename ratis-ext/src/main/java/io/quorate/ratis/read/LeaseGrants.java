package io.quorate.ratis.read;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import org.apache.ratis.protocol.RaftGroupId;

/**
 * The lease grants of a voter (L9c): after an acknowledgement, the voter helps to elect no other
 * leader for the duration that the leader requested.
 *
 * <p>Time is this machine's monotonic clock; a lease assumes that the clocks of different machines
 * advance at about the same rate. Thread-safe.
 */
public final class LeaseGrants {
  private final LongSupplier nanoTime;
  private final long startNanos;
  private final long beforeStartNanos;
  private final Map<RaftGroupId, Long> expiryNanos = new ConcurrentHashMap<>();

  /**
   * @param beforeStart how long grants made before this start may last, of which there is no
   *     record; zero if no leader uses leases
   */
  public LeaseGrants(Duration beforeStart, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.beforeStartNanos = beforeStart.toNanos();
  }

  /**
   * Grants a lease from now on for {@code duration}. To be called before the acknowledgement is
   * sent, so that the grant outlasts the leader's lease.
   */
  public void grant(RaftGroupId group, Duration duration) {
    long expiry = nanoTime.getAsLong() + duration.toNanos();
    expiryNanos.merge(group, expiry, (a, b) -> b - a > 0 ? b : a);
  }

  /** Whether a grant for the group, or a possible one from before the start, has not expired. */
  public boolean isActive(RaftGroupId group) {
    long now = nanoTime.getAsLong();
    if (now - startNanos < beforeStartNanos) {
      return true;
    }
    Long expiry = expiryNanos.get(group);
    return expiry != null && now - expiry < 0;
  }
}
