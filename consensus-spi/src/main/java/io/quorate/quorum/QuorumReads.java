package io.quorate.quorum;

import io.quorate.consensus.GroupControl;
import io.quorate.consensus.KeyScope;
import io.quorate.model.Position;
import java.util.concurrent.CompletionStage;

/**
 * Quorum reads: reads from any quorum of a group's replicas, with or without the leader (quorum
 * reads, Q1 to Q9; Raft reads, L1 to L11). A read collects {@linkplain ReadReply read replies} from
 * a quorum and {@linkplain QuorumMerge merges} them. The client does so by {@link #reply}, or this
 * replica does so by {@link #readIndex}. Methods may be called from any thread and do not block.
 */
public interface QuorumReads extends GroupControl {

  /**
   * Takes this replica's read reply, without the value. The caller adds the value, which it reads
   * from a state at or beyond {@link ReadReply#applied}. A newer state is safe, because {@code
   * pending} was determined before.
   *
   * @param atLeast the position that this replica must have executed before it replies; {@link
   *     Position#NONE} for a reply without waiting. A second round of a read passes its barrier;
   *     the value is then valid only if {@link QuorumMerge#stillValid} holds for the epochs.
   * @return completes with the reply. Fails with {@link
   *     io.quorate.consensus.ConsensusException.Unavailable} if this replica is not allowed to
   *     reply now, for example while it catches up after a start, or if {@code atLeast} is not
   *     executed in time; the caller then queries another replica. Fails with {@link
   *     io.quorate.consensus.ConsensusException.Overloaded} if too many requests are pending.
   */
  CompletionStage<ReadReply<Void>> reply(KeyScope scope, Position atLeast);

  /**
   * Collects read replies from a quorum, which includes this replica, and merges them. Concurrent
   * calls share messages. In a group with a leader, the engine may request the read index from the
   * leader instead, if this replica leads or if a quorum takes too long.
   *
   * @param rule how the read treats pending writes; reads by {@link QuorumRule#NEWEST} are not
   *     linearizable
   * @return completes with a position; a read of this replica's state at or beyond it meets the
   *     rule. Fails with {@link io.quorate.consensus.ConsensusException.Unavailable} if no quorum
   *     replied in time, and with {@link io.quorate.consensus.ConsensusException.Overloaded} if too
   *     many reads are pending; nothing has happened then.
   */
  CompletionStage<Position> readIndex(KeyScope scope, QuorumRule rule);
}
