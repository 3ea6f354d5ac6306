package io.quorate.consensus;

import io.quorate.model.Guarantee;
import io.quorate.model.Position;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/**
 * This node's replica of one group. Every method may be called from any thread. Stages complete on
 * threads of the engine or of the state machine; dependent actions must not block them.
 */
public interface ConsensusGroup extends AutoCloseable {

  /**
   * Proposes a command. Does not block. The engine batches commands while earlier ones are in
   * flight. Commands of one {@link Command.Source} that one thread proposes to one leader are
   * committed in the order of the calls, if they are committed.
   *
   * @return completes when the state machine has reported the result of the command. Fails with a
   *     {@link ConsensusException}, whose kind defines what may have happened. Only after {@link
   *     ConsensusException.Indeterminate} and {@link ConsensusException.Fatal} may the command take
   *     effect.
   */
  CompletionStage<ProposeResult> propose(Command command);

  /**
   * Obtains a read index: a position such that a read of this replica's state at or beyond it meets
   * the guarantee. Does not block and does not change the state. Concurrent calls share messages.
   *
   * @param scope the keys that the read touches; an engine may use it to return a lower position
   * @return completes with the read index. The caller waits until this replica's state covers it,
   *     and then reads. Fails with {@link ConsensusException.Redirect} if another replica must
   *     serve the read, {@link ConsensusException.Unavailable} if no majority confirmed the read
   *     index in time, {@link ConsensusException.Overloaded} if too many reads are pending, and
   *     {@link ConsensusException.Invalid} for a guarantee that the engine does not offer.
   */
  CompletionStage<Position> readIndex(Guarantee guarantee, KeyScope scope);

  /** The current status of the group in the view of this replica. Does not block. */
  GroupStatus view();

  /**
   * The control of the given type; empty if {@link Capabilities#controls()} does not list it. Does
   * not block.
   */
  <T extends GroupControl> Optional<T> control(Class<T> type);

  /**
   * Stops this replica. Blocks until the engine delivers no further batch to the state machine.
   * Proposals without a result fail, those that may be committed as {@link
   * ConsensusException.Indeterminate}. A second call has no effect.
   */
  @Override
  void close();
}
