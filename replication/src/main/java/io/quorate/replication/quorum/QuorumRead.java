package io.quorate.replication.quorum;

import io.quorate.consensus.KeyScope;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumRule;
import java.util.concurrent.CompletableFuture;

/**
 * A pending read of this replica for which a quorum is queried.
 *
 * @param bytes the size of the scope in a message, by {@link QuorumReadCodec#bytes}
 * @param deadlineNanos the time at which the read fails or falls back to the leader
 * @param retries how often the read has started again
 * @param readIndex completes with the position from which this replica's state may be read
 */
record QuorumRead(
    KeyScope scope,
    QuorumRule rule,
    int bytes,
    long deadlineNanos,
    int retries,
    CompletableFuture<Position> readIndex) {
  QuorumRead retry() {
    return new QuorumRead(scope, rule, bytes, deadlineNanos, retries + 1, readIndex);
  }

  boolean isExpired(long nowNanos) {
    return deadlineNanos - nowNanos <= 0;
  }
}
