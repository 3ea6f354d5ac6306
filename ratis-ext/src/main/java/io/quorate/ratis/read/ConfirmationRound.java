package io.quorate.ratis.read;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * One question to the followers, "am I still your leader?", asked by messages that were made after
 * the round began. Pure: knows no clock, thread or network. Not thread-safe.
 *
 * @param <N> names a voter
 * @param <A> the stream of messages to a voter; call ids grow within one stream and mean nothing in
 *     another
 */
final class ConfirmationRound<N, A> {
  private final N self;
  private final Map<A, Long> firstCallIds = new HashMap<>();
  private final Set<N> agreed = new HashSet<>();

  ConfirmationRound(N self) {
    this.self = self;
    agreed.add(self);
  }

  /**
   * Counts this stream's answers from here on.
   *
   * @param nextCallId the id that the stream's next message will have
   */
  void watch(A stream, long nextCallId) {
    firstCallIds.put(stream, nextCallId);
  }

  /**
   * Notes a positive answer.
   *
   * @return whether it answers a message made after the round began
   */
  boolean answered(A stream, N voter, long callId) {
    Long first = firstCallIds.get(stream);
    if (first == null || callId < first) {
      return false;
    }
    agreed.add(voter);
    return true;
  }

  /** Whether enough voters have answered, this leader included. */
  boolean isConfirmedBy(Majority<N> majority) {
    return majority.isReachedBy(agreed);
  }

  @Override
  public String toString() {
    return "round of " + self + ", agreed " + agreed;
  }
}
