package io.quorate.rabia.engine;

import io.quorate.consensus.ConsensusException;
import io.quorate.consensus.Outcome;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * A command of this node on its way, and who waits for it. One without bytes is a read by
 * consensus: it has a place in the order and reaches no state machine.
 */
record PendingCommand(ByteBuffer payload, CompletableFuture<Outcome> outcome) {
  static final ByteBuffer READ = ByteBuffer.allocate(0).asReadOnlyBuffer();

  static PendingCommand of(ByteBuffer payload) {
    return new PendingCommand(payload, new CompletableFuture<>());
  }

  /** A snapshot contains its batch: it took effect, and its answer is nowhere. */
  void overtaken() {
    outcome.completeExceptionally(
        new ConsensusException.Indeterminate(
            "The command's answer was lost when a snapshot was taken over.", null));
  }
}
