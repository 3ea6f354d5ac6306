package io.quorate.server.door;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.FollowerReads;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.consensus.quorum.ReadMix;
import io.quorate.server.config.Knobs;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The one way in which a node finds out from where a read is safe that asks for linearizability, or
 * for what the cluster is set up to give in its place.
 */
@FunctionalInterface
public interface LinearizableReads {

  /**
   * Asks a group. Any thread; does not block.
   *
   * @param asked {@link Guarantee#LINEARIZABLE}, which no clock may decide, or {@link
   *     Guarantee#LINEARIZABLE_IF_CLOCKS_BOUNDED}
   * @return completes and fails as {@link ConsensusGroup#readPoint}
   */
  CompletionStage<Position> readPoint(ConsensusGroup group, Guarantee asked, KeyScope scope);

  /**
   * The way that the configuration chooses, of an engine that it {@linkplain
   * io.quorate.server.config.EngineFit fits}.
   *
   * @param mix how reads are divided, where they are
   */
  static LinearizableReads by(Knobs.Reads reads, Optional<ReadMix.Policy> mix) {
    return switch (reads) {
      case LEADER, CONSENSUS ->
          (group, asked, scope) -> group.readPoint(Guarantee.LINEARIZABLE, scope);
      // A strict read is confirmed here, too: the lease is a matter of clocks.
      case LEASE -> (group, asked, scope) -> group.readPoint(asked, scope);
      case LOCAL -> (group, asked, scope) -> group.readPoint(Guarantee.LOCAL, scope);
      case FOLLOWER -> LinearizableReads::follower;
      case QUORUM, QUORUM_RETRY, QUORUM_SIMPLE -> quorum(reads.quorumRule().orElseThrow());
      case MIXED, ADAPTIVE ->
          new MixedReads(
              new ReadMix(mix.orElseThrow(), () -> ThreadLocalRandom.current().nextDouble()),
              LinearizableReads::follower,
              quorum(reads.quorumRule().orElseThrow()));
    };
  }

  private static CompletionStage<Position> follower(
      ConsensusGroup group, Guarantee asked, KeyScope scope) {
    return group
        .control(FollowerReads.class)
        .map(FollowerReads::readPoint)
        .orElseGet(() -> none("reads of followers"));
  }

  private static LinearizableReads quorum(QuorumRule rule) {
    return (group, asked, scope) ->
        group
            .control(QuorumReads.class)
            .map(quorum -> quorum.readPoint(scope, rule))
            .orElseGet(() -> none("quorum reads"));
  }

  private static CompletionStage<Position> none(String what) {
    return CompletableFuture.failedFuture(
        new ConsensusException.Invalid("This region has no " + what + "."));
  }
}
