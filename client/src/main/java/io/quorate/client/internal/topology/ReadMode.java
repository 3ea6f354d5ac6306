package io.quorate.client.internal.topology;

import io.quorate.common.DecodeException;
import io.quorate.protocol.wire.v1.Reads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadBalancer;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * How a cluster serves reads with the guarantee for which it is configured.
 *
 * @param byReplicas whether any replica accepts these reads
 * @param linearizable whether these reads are linearizable, provided that clocks are bounded
 * @param quorumRule the rule by which the read replies of a quorum are merged; empty if reads are
 *     not served by a quorum
 * @param mix how reads are divided between the leader and a quorum of the other replicas; empty if
 *     they are not divided
 */
public record ReadMode(
    boolean byReplicas,
    boolean linearizable,
    Optional<QuorumRule> quorumRule,
    Optional<ReadBalancer.Policy> mix) {

  /** Reads are served by the leader, if there is one. */
  static final ReadMode BY_LEADER = new ReadMode(false, true, Optional.empty(), Optional.empty());

  /**
   * @throws DecodeException if the message is invalid
   */
  static ReadMode of(Reads message) {
    return new ReadMode(
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
      // A rule that this client does not implement is left to the nodes.
      case NONE, UNRECOGNIZED -> Optional.empty();
    };
  }

  private static ReadBalancer.Policy policy(Reads.Mix message) {
    try {
      return new ReadBalancer.Policy(
          message.getAdaptive(),
          message.hasLeaderFraction()
              ? OptionalDouble.of(message.getLeaderFraction())
              : OptionalDouble.empty());
    } catch (IllegalArgumentException e) {
      throw new DecodeException("A cluster topology is invalid: " + e.getMessage() + ".");
    }
  }
}
