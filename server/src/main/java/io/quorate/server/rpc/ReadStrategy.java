package io.quorate.server.rpc;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import io.quorate.quorum.QuorumReads;
import io.quorate.quorum.QuorumRule;
import io.quorate.quorum.ReadBalancer;
import io.quorate.server.config.ClusterMode;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Determines the read index of reads that request linearizability, or of the weaker guarantee that
 * the cluster is configured to give instead. A node has one strategy.
 */
@FunctionalInterface
public interface ReadStrategy {

  /**
   * Queries a group. Any thread; does not block.
   *
   * @param guarantee {@link Guarantee#LINEARIZABLE}, which must not depend on clocks, or {@link
   *     Guarantee#LINEARIZABLE_IF_CLOCKS_BOUNDED}
   * @return completes and fails as {@link ConsensusGroup#readIndex}
   */
  CompletionStage<Position> readIndex(ConsensusGroup group, Guarantee guarantee, KeyScope scope);

  /**
   * The strategy for the configured mode, with an engine that {@linkplain
   * io.quorate.server.config.EngineValidator supports} it.
   *
   * @param policy how reads are divided; present if the mode divides them
   */
  static ReadStrategy by(ClusterMode.Reads reads, Optional<ReadBalancer.Policy> policy) {
    return switch (reads) {
      case LEADER, CONSENSUS ->
          (group, guarantee, scope) -> group.readIndex(Guarantee.LINEARIZABLE, scope);
      // A LINEARIZABLE read is confirmed in this mode too, since a lease depends on clocks.
      case LEASE -> (group, guarantee, scope) -> group.readIndex(guarantee, scope);
      case LOCAL -> (group, guarantee, scope) -> group.readIndex(Guarantee.LOCAL, scope);
      case FOLLOWER -> ReadStrategy::follower;
      case QUORUM, QUORUM_RETRY, QUORUM_SIMPLE -> quorum(reads.quorumRule().orElseThrow());
      case MIXED, ADAPTIVE ->
          new BalancedReads(
              new ReadBalancer(
                  policy.orElseThrow(), () -> ThreadLocalRandom.current().nextDouble()),
              ReadStrategy::follower,
              quorum(reads.quorumRule().orElseThrow()));
    };
  }

  private static CompletionStage<Position> follower(
      ConsensusGroup group, Guarantee guarantee, KeyScope scope) {
    return group
        .control(FollowerReads.class)
        .map(FollowerReads::readIndex)
        .orElseGet(() -> unsupported("reads of followers"));
  }

  private static ReadStrategy quorum(QuorumRule rule) {
    return (group, guarantee, scope) ->
        group
            .control(QuorumReads.class)
            .map(quorum -> quorum.readIndex(scope, rule))
            .orElseGet(() -> unsupported("quorum reads"));
  }

  private static CompletionStage<Position> unsupported(String feature) {
    return CompletableFuture.failedFuture(
        new ConsensusException.Invalid("This region has no " + feature + "."));
  }
}
