package io.quorate.consensus;

import io.quorate.model.NodeId;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** Leadership transfer of a group. */
public interface Leadership extends GroupControl {
  /**
   * Transfers leadership from this replica to another member. May be called from any thread; does
   * not block.
   *
   * <p>Each proposal in flight completes, either with its result or with a {@link
   * ConsensusException}.
   *
   * @param target the member that is to lead; if it is this replica and it leads, there is no
   *     transfer and the stage completes
   * @param timeout the maximum duration of the transfer
   * @return completes when {@code target} leads. Fails with {@link ConsensusException.Redirect} if
   *     this replica does not lead, {@link ConsensusException.Invalid} if the target is not a
   *     member, and {@link ConsensusException.Unavailable} if the target cannot take over now or
   *     did not do so within {@code timeout}; in the last case either of the two may lead.
   */
  CompletionStage<Void> transferTo(NodeId target, Duration timeout);
}
