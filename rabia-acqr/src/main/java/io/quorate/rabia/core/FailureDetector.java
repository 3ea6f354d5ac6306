package io.quorate.rabia.core;

import io.quorate.consensus.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * Detects owners that do not settle their slots (O5). Only a batch for an own slot beyond the
 * executed one, or a skip that reaches beyond it, is evidence against a suspicion. Other messages
 * show that a process runs, not that it settles slots: a replica that catches up, or whose disk or
 * state machine hangs, reports its status like a healthy one.
 *
 * <p>A wrong suspicion costs null slots and nothing else; but where all replicas are slow, the null
 * slots make them slower. A suspicion is wrong if it ends before the longest timeout has passed:
 * then the owner's timeout doubles. A suspicion that lasts longer was right, and halves it.
 */
final class FailureDetector {
  private static final int DOUBLINGS_MAX = 4;

  /** After how many times the longest timeout without a wrong suspicion a timeout is halved. */
  private static final int FORGET_AFTER = 32;

  private static final class Standing {
    long settledAt = Long.MIN_VALUE;
    long suspectedAt;
    boolean suspected;
    int doublings;
    long changedAt;
  }

  private final long timeout;
  private final Map<NodeId, Standing> standings = new HashMap<>();

  /**
   * @param timeout how long an owner may leave a slot open before it is suspected, at least
   */
  FailureDetector(long timeout) {
    this.timeout = timeout;
  }

  /** The owner has issued or skipped a slot beyond the executed one. */
  void settles(NodeId owner, long now) {
    Standing standing = standing(owner);
    if (standing.suspected) {
      boolean wrong = now - standing.suspectedAt < longestTimeout();
      standing.doublings =
          wrong
              ? Math.min(DOUBLINGS_MAX, standing.doublings + 1)
              : Math.max(0, standing.doublings - 1);
      standing.changedAt = now;
    } else if (standing.doublings > 0
        && now - standing.changedAt >= FORGET_AFTER * longestTimeout()) {
      standing.doublings--;
      standing.changedAt = now;
    }
    standing.suspected = false;
    standing.settledAt = now;
  }

  /**
   * Suspects the owner of a slot that has been open for too long.
   *
   * @param since when the slot was opened. After the longest timeout the owner is suspected
   *     whatever other slots it has settled meanwhile: what it sent for this one is lost.
   */
  void expect(NodeId owner, long since, long now) {
    Standing standing = standing(owner);
    boolean silent = now - Math.max(since, standing.settledAt) >= timeout << standing.doublings;
    if (!standing.suspected && (silent || isOverdue(since, now))) {
      standing.suspected = true;
      standing.suspectedAt = now;
    }
  }

  boolean isSuspected(NodeId owner) {
    Standing standing = standings.get(owner);
    return standing != null && standing.suspected;
  }

  /** Whether a slot that was opened then has been open for longer than any owner may take. */
  boolean isOverdue(long since, long now) {
    return now - since >= longestTimeout();
  }

  private long longestTimeout() {
    return timeout << DOUBLINGS_MAX;
  }

  private Standing standing(NodeId owner) {
    return standings.computeIfAbsent(owner, unknown -> new Standing());
  }
}
