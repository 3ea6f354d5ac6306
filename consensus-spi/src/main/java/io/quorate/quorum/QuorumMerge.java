package io.quorate.quorum;

import io.quorate.model.NodeId;
import io.quorate.model.Position;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;

/**
 * The merge rule of quorum reads (Q3, L2): for a quorum of read replies of one configuration, the
 * barrier is the highest of all applied and pending positions. If the reply with the highest
 * applied position covers the barrier, its value is the result. Otherwise the value must be read
 * from a state at or beyond the barrier.
 *
 * <p>The barrier includes the applied positions, because a replica removes a pending write when it
 * has applied it. The reply is chosen by the position of the whole state and not by a version of
 * the key, so deletes need no tombstones (Q6, L6).
 */
public final class QuorumMerge {
  private QuorumMerge() {}

  /**
   * Merges replies by {@link QuorumRule#BARRIER}. A pure function. It accepts more replies than a
   * quorum, and several replies of one replica, which count once.
   */
  public static <V> Merged<V> merge(Collection<ReadReply<V>> replies) {
    return merge(replies, QuorumRule.BARRIER);
  }

  /**
   * Merges replies by a rule. A pure function. With {@link QuorumRule#RETRY}, the caller handles
   * {@link Merged.Wait} by requesting new replies from a quorum.
   */
  public static <V> Merged<V> merge(Collection<ReadReply<V>> replies, QuorumRule rule) {
    if (replies.isEmpty()) {
      return new Merged.Incomplete<>();
    }
    Set<NodeId> replicas = new HashSet<>();
    ReadReply<V> newest = null;
    Position barrier = Position.NONE;
    for (ReadReply<V> reply : replies) {
      if (newest != null && reply.epoch() != newest.epoch()) {
        return new Merged.StartOver<>();
      }
      replicas.add(reply.replica());
      if (newest == null || reply.applied().compareTo(newest.applied()) > 0) {
        newest = reply;
      }
      barrier = higher(barrier, higher(reply.applied(), reply.pending()));
    }
    if (replicas.size() < newest.quorum()) {
      return new Merged.Incomplete<>();
    }
    return rule == QuorumRule.NEWEST || newest.applied().covers(barrier)
        ? new Merged.Value<>(newest.applied(), newest.value())
        : new Merged.Wait<>(newest.epoch(), barrier);
  }

  /**
   * Whether a value that was read from a state beyond a barrier is a valid result: that state must
   * not contain a newer configuration than that of the replies (Q7).
   *
   * @param repliesEpoch the epoch of the replies from which the barrier was computed
   * @param stateEpoch the latest epoch of the state from which the value was read
   */
  public static boolean stillValid(long repliesEpoch, long stateEpoch) {
    return stateEpoch <= repliesEpoch;
  }

  private static Position higher(Position first, Position second) {
    return second.compareTo(first) > 0 ? second : first;
  }
}
