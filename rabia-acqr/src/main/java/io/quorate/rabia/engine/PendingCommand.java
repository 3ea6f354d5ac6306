package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.ProposeResult;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/**
 * A command of this node without a result, and the future that its caller waits for. A command
 * without bytes is a read by consensus: it is ordered and is not passed to the state machine.
 *
 * @param begin called once, before the command is passed to the core; false if its caller has
 *     withdrawn it
 */
record PendingCommand(
    ByteBuffer payload, CompletableFuture<ProposeResult> outcome, BooleanSupplier begin) {
  static final ByteBuffer READ = ByteBuffer.allocate(0).asReadOnlyBuffer();

  static PendingCommand of(ByteBuffer payload, BooleanSupplier begin) {
    return new PendingCommand(payload, new CompletableFuture<>(), begin);
  }

  /** Fails the command because a snapshot contains it: it took effect, and its result is lost. */
  void overtaken() {
    outcome.completeExceptionally(
        new ConsensusException.Indeterminate(
            "The command's result was lost: an installed snapshot contains the command.", null));
  }
}
