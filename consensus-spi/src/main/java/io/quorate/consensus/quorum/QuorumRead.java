package io.quorate.consensus.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import java.util.concurrent.CompletableFuture;

/**
 * A read for which this replica asks a quorum.
 *
 * @param bytes what its scope takes in a message
 * @param deadlineNanos when it is given up, or left to the leader
 * @param tries how often it has begun anew
 * @param point completes with the position from which it may be read here
 */
record QuorumRead(
    KeyScope scope,
    QuorumRule rule,
    int bytes,
    long deadlineNanos,
    int tries,
    CompletableFuture<Position> point) {
  QuorumRead again() {
    return new QuorumRead(scope, rule, bytes, deadlineNanos, tries + 1, point);
  }

  boolean isLate(long nowNanos) {
    return deadlineNanos - nowNanos <= 0;
  }
}
