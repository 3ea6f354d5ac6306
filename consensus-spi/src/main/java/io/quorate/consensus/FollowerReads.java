package io.quorate.consensus;

import io.quorate.model.Position;
import java.util.concurrent.CompletionStage;

/**
 * Linearizable reads of this replica's state, on a follower as well as on the leader. Methods may
 * be called from any thread and do not block.
 */
public interface FollowerReads extends GroupControl {

  /**
   * Requests the commit index from the leader, which confirms its leadership with a majority. Calls
   * that arrive while a request is in flight share the next request, because the leader may already
   * have determined the index of the present one.
   *
   * @return completes with a read index: a read of this replica's state at or beyond it is
   *     linearizable. Fails with {@link ConsensusException.Unavailable} if no leader responded in
   *     time; nothing has happened then.
   */
  CompletionStage<Position> readIndex();
}
