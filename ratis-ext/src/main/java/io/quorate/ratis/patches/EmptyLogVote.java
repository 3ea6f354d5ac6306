package io.quorate.ratis.patches;

import org.apache.ratis.proto.RaftProtos.RequestVoteReplyProto;

/**
 * Lets the vote of a replica with an empty log count. A candidate of Ratis 3.3.0 that has a commit
 * does not count it, because the voter may have lost its disk. Here no node takes part with another
 * disk, and a replica whose log is empty has not received its first entries: its vote counts as in
 * Raft, or a majority could be without a leader for ever (decision 0036). Ratis itself omits the
 * last entry in older versions, and counts the vote.
 *
 * <p>Upstream: RATIS-1995 introduced the rule; not reported. Fails without it: {@code
 * EmptyLogVoteTest}. Can go when Ratis has a setting for the rule.
 */
public final class EmptyLogVote {
  private EmptyLogVote() {}

  /** The response of a voter, without the last entry of an empty log. */
  public static RequestVoteReplyProto counting(RequestVoteReplyProto reply) {
    // Terms begin at 1.
    return reply.getLastEntry().getTerm() == 0 ? reply.toBuilder().clearLastEntry().build() : reply;
  }
}
