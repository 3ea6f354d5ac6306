package io.quorate.ratis.read;

import io.quorate.replication.quorum.Majority;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A round by which a leader confirms that it still leads: only responses to heartbeats and other
 * messages that were created after the round began count. Pure: uses no clock, thread or network.
 * Not thread-safe.
 *
 * @param <N> the id of a voter
 * @param <A> the log appender of a voter; call ids increase within one appender and cannot be
 *     compared between appenders
 */
final class ConfirmationRound<N, A> {
  private final N self;
  private final Map<A, Long> firstCallIds = new HashMap<>();
  private final Set<N> acknowledged = new HashSet<>();

  ConfirmationRound(N self) {
    this.self = self;
    acknowledged.add(self);
  }

  /**
   * Counts the responses to an appender's messages from now on.
   *
   * @param nextCallId the call id of the appender's next message
   */
  void watch(A appender, long nextCallId) {
    firstCallIds.put(appender, nextCallId);
  }

  /**
   * Records a successful response.
   *
   * @return whether it responds to a message that was created after the round began
   */
  boolean acknowledge(A appender, N voter, long callId) {
    Long first = firstCallIds.get(appender);
    if (first == null || callId < first) {
      return false;
    }
    acknowledged.add(voter);
    return true;
  }

  /** Records that a voter has confirmed the leader after the round began, by another message. */
  void confirm(N voter) {
    acknowledged.add(voter);
  }

  /** Whether a voter has acknowledged or confirmed. */
  boolean hasConfirmed(N voter) {
    return acknowledged.contains(voter);
  }

  /** Whether enough voters have acknowledged the round, this leader included. */
  boolean isConfirmedBy(Majority<N> majority) {
    return majority.isReachedBy(acknowledged);
  }

  @Override
  public String toString() {
    return "round of " + self + ", acknowledged " + acknowledged;
  }
}
