package io.quorate.consensus.quorum;

import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The rule of quorum reads (PROTOCOLS Q3, L2): from a quorum of shares of one configuration, the
 * barrier is the highest of all applied and pending positions. If the share with the highest
 * applied position covers it, its value is the answer; otherwise a state at the barrier is.
 *
 * <p>The applied positions count as well as the pending ones, because a replica forgets what is
 * pending when it has applied it. The answer is chosen by the position of the whole state, not by a
 * version of the key, so deletes need no tombstones (Q6, L6).
 */
public final class ShareMerge {
  private ShareMerge() {}

  /**
   * Merges shares by {@link QuorumRule#BARRIER}; pure. More shares than a quorum do no harm, and
   * neither does a second share of a replica.
   */
  public static <V> Merged<V> merge(Collection<Share<V>> shares) {
    return merge(shares, QuorumRule.BARRIER);
  }

  /**
   * Merges shares by a rule; pure. Where {@link QuorumRule#RETRY} says to wait, whoever reads takes
   * all shares anew instead.
   */
  public static <V> Merged<V> merge(Collection<Share<V>> shares, QuorumRule rule) {
    if (shares.isEmpty()) {
      return new Merged.Incomplete<>();
    }
    Set<NodeId> replicas = new HashSet<>();
    Share<V> newest = null;
    Position barrier = Position.NONE;
    for (Share<V> share : shares) {
      if (newest != null && share.epoch() != newest.epoch()) {
        return new Merged.StartOver<>();
      }
      replicas.add(share.replica());
      if (newest == null || share.applied().compareTo(newest.applied()) > 0) {
        newest = share;
      }
      barrier = later(barrier, later(share.applied(), share.pending()));
    }
    if (replicas.size() < newest.quorum()) {
      return new Merged.Incomplete<>();
    }
    return rule == QuorumRule.NEWEST || newest.applied().covers(barrier)
        ? new Merged.Answer<>(newest.applied(), newest.value())
        : new Merged.Wait<>(newest.epoch(), barrier);
  }

  /**
   * Whether a value read behind a barrier answers the read: the state it was read from must know no
   * configuration beyond that of the shares (Q7).
   *
   * @param sharesEpoch the epoch of the shares that made the barrier
   * @param stateEpoch the latest epoch that the answering state knows
   */
  public static boolean stillValid(long sharesEpoch, long stateEpoch) {
    return stateEpoch <= sharesEpoch;
  }

  private static Position later(Position one, Position other) {
    return other.compareTo(one) > 0 ? other : one;
  }
}
