package io.quorate.ratis.read;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.leader.LogAppender;

/**
 * One term as leader: a new term has new log appenders and a new leader state, and responses of an
 * earlier term do not count. Guarded by the lock of {@link ReadIndex}, except the volatile fields.
 */
final class Leadership {
  static final long UNKNOWN = -1;

  final LeaderState state;
  final Map<RaftPeerId, LogAppender> appenders = new HashMap<>();
  final Optional<LeaderLease> lease;

  /** The index of the configuration whose majorities granted the lease last. */
  long leaseConfiguration;

  volatile boolean isSilent;

  /** The followers that have lost entries which they had acknowledged in this term. */
  final Set<RaftPeerId> lost = ConcurrentHashMap.newKeySet();

  /** The term, as it is in the messages to followers; {@link #UNKNOWN} before the first one. */
  volatile long term = UNKNOWN;

  /** The number of revocations of the lease that are not restored. */
  private int revocations;

  /**
   * @param lease empty for no leases
   */
  Leadership(LeaderState state, Optional<LeaderLease> lease) {
    this.state = state;
    this.lease = lease;
  }

  /** Whether messages to followers are to request lease grants. */
  boolean requestsGrants() {
    return lease.map(LeaderLease::requestsGrants).orElse(false);
  }

  /** Revokes the lease until it is restored as often as it was revoked. */
  void revokeLease() {
    lease.orElseThrow().revoke();
    revocations++;
  }

  void restoreLease(long nowNanos) {
    revocations--;
    if (revocations == 0) {
      lease.orElseThrow().restore(nowNanos);
    }
  }
}
