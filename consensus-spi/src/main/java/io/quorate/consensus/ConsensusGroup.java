package io.quorate.consensus;

import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** This node's replica of one group. Every method may be called from any thread. */
public interface ConsensusGroup extends AutoCloseable {

  /**
   * Proposes a command. Does not block; commands are batched while others are in flight.
   *
   * <p>Commands that one thread proposes to one leader commit in that order, if they commit.
   *
   * @return completes, on an engine or state machine thread that must not be blocked, when the
   *     state machine has answered. Fails with a {@link ConsensusException} that says what may have
   *     happened; only {@link ConsensusException.Indeterminate} and {@link
   *     ConsensusException.Fatal} leave that open.
   */
  CompletionStage<Outcome> propose(Command command);

  /**
   * Asks from which position a read of this replica's state meets the guarantee. Does not block and
   * changes nothing; calls that arrive together share the work.
   *
   * @return completes with a position to wait for; the read itself is the caller's. Fails with
   *     {@link ConsensusException.Redirect} where another replica must be asked, {@link
   *     ConsensusException.Unavailable} where no majority confirmed in time, and {@link
   *     ConsensusException.Invalid} for a guarantee the engine does not offer.
   */
  CompletionStage<Position> readPoint(Guarantee guarantee, KeyScope scope);

  /** The group as this replica sees it now. Does not block. */
  GroupView view();

  /** A control by its type; empty where the engine's capabilities do not list it. */
  <T extends GroupControl> Optional<T> control(Class<T> type);

  /**
   * Stops taking part. Blocks until the engine hands no further batch to the state machine.
   * Proposals without an answer fail as {@link ConsensusException.Indeterminate}. A second call
   * does nothing.
   */
  @Override
  void close();
}
