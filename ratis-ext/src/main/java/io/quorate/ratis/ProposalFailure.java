package io.quorate.ratis;

import io.quorate.consensus.ConsensusException;
import java.time.Duration;
import java.util.Optional;
import org.apache.ratis.protocol.exceptions.LeaderNotReadyException;
import org.apache.ratis.protocol.exceptions.LeaderSteppingDownException;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.protocol.exceptions.ResourceUnavailableException;

/**
 * Classifies the exception with which a proposal to Ratis failed by what may have happened to the
 * proposal. Pure.
 */
final class ProposalFailure {
  private static final Duration RETRY_AFTER = Duration.ofMillis(20);

  private ProposalFailure() {}

  /**
   * @param mayBeInLog whether the entry had reached the point of being appended; from then on even
   *     "not leader" may mean that a later leader commits it
   */
  static ConsensusException classify(Throwable cause, boolean mayBeInLog) {
    if (mayBeInLog) {
      return new ConsensusException.Indeterminate(
          "The leader changed or failed while the command was in flight.", cause);
    }
    if (cause instanceof NotLeaderException notLeader) {
      return new ConsensusException.Redirect(
          Optional.ofNullable(notLeader.getSuggestedLeader())
              .map(peer -> RaftIds.node(peer.getId())));
    } else if (cause instanceof LeaderNotReadyException) {
      return new ConsensusException.Unavailable("The leader is new and has not committed yet.");
    } else if (cause instanceof LeaderSteppingDownException) {
      return new ConsensusException.Unavailable("The leader is transferring its leadership.");
    } else if (cause instanceof ResourceUnavailableException) {
      return new ConsensusException.Overloaded("The Raft log is busy.", RETRY_AFTER);
    }
    return new ConsensusException.Unavailable("The proposal was rejected: " + cause.getMessage());
  }
}
