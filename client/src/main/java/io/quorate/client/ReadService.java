package io.quorate.client;

import io.quorate.client.wire.v1.Reads;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.operation.MalformedException;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How a cluster serves reads that ask for what it is set up for.
 *
 * @param byReplicas whether any replica takes them
 * @param linearizable whether they are linearizable, clocks permitting
 * @param quorumRule by which rule shares of a quorum are merged, if that is how they are served
 * @param mix how they are divided between the leader and a quorum of the others, if they are
 */
record ReadService(
    boolean byReplicas,
    boolean linearizable,
    Optional<QuorumRule> quorumRule,
    Optional<ReadMix.Policy> mix) {

  /** By a leader, where there is one. */
  static final ReadService BY_LEADER =
      new ReadService(false, true, Optional.empty(), Optional.empty());

  /**
   * @throws MalformedException if the message says what makes no sense
   */
  static ReadService of(Reads message) {
    return new ReadService(
        message.getByReplicas(),
        !message.getNotLinearizable(),
        rule(message.getQuorumRule()),
        message.hasMix() ? Optional.of(policy(message.getMix())) : Optional.empty());
  }

  private static Optional<QuorumRule> rule(Reads.QuorumRule message) {
    return switch (message) {
      case BARRIER -> Optional.of(QuorumRule.BARRIER);
      case RETRY -> Optional.of(QuorumRule.RETRY);
      case NEWEST -> Optional.of(QuorumRule.NEWEST);
      // A rule that this client does not know is the nodes' to follow.
      case NONE, UNRECOGNIZED -> Optional.empty();
    };
  }

  private static ReadMix.Policy policy(Reads.Mix message) {
    try {
      return new ReadMix.Policy(
          message.getAdaptive(),
          message.hasLeaderFraction()
              ? OptionalDouble.of(message.getLeaderFraction())
              : OptionalDouble.empty());
    } catch (IllegalArgumentException e) {
      throw new MalformedException("A map of the cluster is wrong: " + e.getMessage() + ".");
    }
  }
}
