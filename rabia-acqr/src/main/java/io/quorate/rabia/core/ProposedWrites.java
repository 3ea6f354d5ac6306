package io.quorate.rabia.core;

import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.quorum.PendingWrites;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** The write sets of the batches that this replica has proposed and not executed (Q1, Q4). */
final class ProposedWrites {
  private final Function<ByteBuffer, KeyScope> writeSet;
  private final PendingWrites pendingWrites = new PendingWrites();

  /**
   * @param writeSet returns the keys that a command may write; a pure function
   */
  ProposedWrites(Function<ByteBuffer, KeyScope> writeSet) {
    this.writeSet = writeSet;
  }

  /** Records the write set of a batch. Called before the PROPOSAL can be sent (Q1). */
  void proposed(long slot, Batch batch) {
    if (batch.body() instanceof Body.Reconfiguration) {
      // A configuration change writes all keys (Q7).
      pendingWrites.note(slot, KeyScope.range(KeyRange.ALL));
    } else {
      for (ByteBuffer command : ((Body.Commands) batch.body()).commands()) {
        pendingWrites.note(slot, writeSet.apply(command));
      }
    }
  }

  /** Removes the write sets of slots up to {@code slot}, whatever their outcome was (Q5). */
  void executed(long slot) {
    pendingWrites.settle(slot);
  }

  long pending(KeyScope scope) {
    return pendingWrites.highest(scope);
  }
}
