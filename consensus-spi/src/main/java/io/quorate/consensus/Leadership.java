package io.quorate.consensus;

import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Control of who leads a group. */
public interface Leadership extends GroupControl {
  /**
   * Hands leadership from this replica to another member. Does not block.
   *
   * <p>Proposals in flight are not lost: each ends as committed or as a {@link ConsensusException}.
   *
   * @return completes when {@code target} leads. Fails with {@link ConsensusException.Redirect} if
   *     this replica does not lead, {@link ConsensusException.Invalid} if the target is no member,
   *     and {@link ConsensusException.Unavailable} if the target did not take over within {@code
   *     timeout}; in the last case either of the two may lead.
   */
  CompletionStage<Void> transferTo(NodeId target, Duration timeout);
}
