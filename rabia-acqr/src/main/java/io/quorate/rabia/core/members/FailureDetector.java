package io.quorate.rabia.core.members;

import io.quorate.model.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * Detects owners that do not resolve their slots (O5). Only a batch for an own slot beyond the
 * executed one, or a skip that reaches beyond it, is evidence against a suspicion. Other messages
 * show that a process runs, not that it resolves slots: a replica that catches up, or whose disk or
 * state machine hangs, reports its status like a healthy one.
 *
 * <p>A wrong suspicion costs null slots and nothing else; but where all replicas are slow, the null
 * slots make them slower. A suspicion was wrong if it ends before the longest timeout has passed:
 * then the timeout of the owner doubles. A suspicion that lasts longer was right, and halves the
 * timeout.
 */
public final class FailureDetector {
  private static final int DOUBLINGS_MAX = 4;

  /** The number of longest timeouts without a wrong suspicion after which a timeout is halved. */
  private static final int HALVING_INTERVALS = 32;

  private static final class OwnerState {
    long resolvedAt = Long.MIN_VALUE;
    long suspectedAt;
    boolean suspected;
    int doublings;
    long changedAt;
  }

  private final long timeout;
  private final Map<NodeId, OwnerState> owners = new HashMap<>();

  /**
   * @param timeout the minimum time for which an owner may leave a slot open before it is suspected
   */
  public FailureDetector(long timeout) {
    this.timeout = timeout;
  }

  /** Records that the owner has issued or skipped a slot beyond the executed one. */
  public void resolved(NodeId owner, long now) {
    OwnerState state = ownerState(owner);
    if (state.suspected) {
      boolean wrong = now - state.suspectedAt < longestTimeout();
      state.doublings =
          wrong ? Math.min(DOUBLINGS_MAX, state.doublings + 1) : Math.max(0, state.doublings - 1);
      state.changedAt = now;
    } else if (state.doublings > 0
        && now - state.changedAt >= HALVING_INTERVALS * longestTimeout()) {
      state.doublings--;
      state.changedAt = now;
    }
    state.suspected = false;
    state.resolvedAt = now;
  }

  /**
   * Suspects the owner of a slot that has been open for too long.
   *
   * @param since when the slot was opened. After the longest timeout the owner is suspected
   *     regardless of other slots that it has resolved since: what it sent for this slot is lost.
   */
  public void suspectIfOverdue(NodeId owner, long since, long now) {
    OwnerState state = ownerState(owner);
    boolean timedOut = now - Math.max(since, state.resolvedAt) >= timeout << state.doublings;
    if (!state.suspected && (timedOut || isOverdue(since, now))) {
      state.suspected = true;
      state.suspectedAt = now;
    }
  }

  public boolean isSuspected(NodeId owner) {
    OwnerState state = owners.get(owner);
    return state != null && state.suspected;
  }

  /** Whether a slot that was opened at {@code since} has been open for the longest timeout. */
  public boolean isOverdue(long since, long now) {
    return now - since >= longestTimeout();
  }

  private long longestTimeout() {
    return timeout << DOUBLINGS_MAX;
  }

  private OwnerState ownerState(NodeId owner) {
    return owners.computeIfAbsent(owner, unknown -> new OwnerState());
  }
}
