package io.quorate.consensus.quorum;

import io.quorate.consensus.GroupControl;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.Position;
import java.util.concurrent.CompletionStage;

/**
 * Reads from any quorum of a group's replicas, whoever leads it (PROTOCOLS 4, 5). A read takes
 * {@linkplain Share shares} of a quorum and {@linkplain ShareMerge merges} them; either whoever
 * asks does that, or this replica for it. Any thread; nothing here blocks.
 */
public interface QuorumReads extends GroupControl {

  /**
   * This replica's part of a quorum read, without the value. Whoever passes it on adds the value,
   * read from a state at or beyond {@link Share#applied}; a newer state does no harm, for {@code
   * pending} was noted before.
   *
   * @param atLeast wait until this is executed here; {@link Position#NONE} for a share without
   *     waiting. For the second round of a read, behind a barrier, whose answer is valid only if
   *     {@link ShareMerge#stillValid} of the epochs.
   * @return fails with {@link io.quorate.consensus.ConsensusException.Unavailable} while this
   *     replica may not answer, for example while it catches up after a start, or where {@code
   *     atLeast} is not reached in time: ask another one
   */
  CompletionStage<Share<Void>> share(KeyScope scope, Position atLeast);

  /**
   * Takes shares of a quorum, of which this replica is one, and merges them. Calls that arrive
   * together share messages. A group that has a leader may ask that one instead, where it is this
   * replica or where a quorum takes too long.
   *
   * @param rule what is done about writes on their way; {@link QuorumRule#NEWEST} gives up
   *     linearizability
   * @return completes with a position from which on a read of this replica's state is what the rule
   *     promises. Fails with {@link io.quorate.consensus.ConsensusException.Unavailable} where no
   *     quorum answered in time; nothing has happened.
   */
  CompletionStage<Position> readPoint(KeyScope scope, QuorumRule rule);
}
