package io.quorate.server.door;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ConsensusGroup;
import io.quorate.consensus.Guarantee;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import io.quorate.consensus.quorum.QuorumReads;
import io.quorate.consensus.quorum.QuorumRule;
import io.quorate.server.config.Knobs;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The one way in which a node finds out from where a linearizable read is safe. */
@FunctionalInterface
public interface LinearizableReads {

  /**
   * Asks a group. Any thread; does not block.
   *
   * @return completes and fails as {@link ConsensusGroup#readPoint}
   */
  CompletionStage<Position> readPoint(ConsensusGroup group, KeyScope scope);

  /**
   * The way that the configuration chooses, of an engine that it {@linkplain
   * io.quorate.server.config.EngineFit fits}.
   */
  static LinearizableReads by(Knobs.Reads reads) {
    return switch (reads) {
      case LEADER, CONSENSUS -> (group, scope) -> group.readPoint(Guarantee.LINEARIZABLE, scope);
      case LEASE ->
          (group, scope) -> group.readPoint(Guarantee.LINEARIZABLE_IF_CLOCKS_BOUNDED, scope);
      case QUORUM -> LinearizableReads::quorum;
    };
  }

  private static CompletionStage<Position> quorum(ConsensusGroup group, KeyScope scope) {
    return group
        .control(QuorumReads.class)
        .map(quorum -> quorum.readPoint(scope, QuorumRule.BARRIER))
        .orElseGet(
            () ->
                CompletableFuture.failedFuture(
                    new ConsensusException.Invalid("This region has no quorum reads.")));
  }
}
