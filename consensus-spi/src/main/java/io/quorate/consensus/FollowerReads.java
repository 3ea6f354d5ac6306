package io.quorate.consensus;

import java.util.concurrent.CompletionStage;

/** Linearizable reads of this replica's state, whoever leads. Any thread; nothing here blocks. */
public interface FollowerReads extends GroupControl {

  /**
   * Asks the leader up to where it has committed, which it confirms with a majority. Calls that
   * arrive while the leader is being asked share the next question.
   *
   * @return completes with a position from which on a read of this replica's state is linearizable.
   *     Fails with {@link ConsensusException.Unavailable} where no leader answered in time; nothing
   *     has happened.
   */
  CompletionStage<Position> readPoint();
}
