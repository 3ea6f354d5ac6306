package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.model.KeyRange;
import io.quorate.quorum.PendingWrites;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * The write sets of the batches that this replica has proposed and not executed (Q1, Q4).
 *
 * <p>Commands are decoded for the first read that follows, not for the proposal: without quorum
 * reads never, and with them only those of the slots that are open when a read arrives.
 */
final class ProposedWrites {
  private final Function<ByteBuffer, KeyScope> writeSet;

  /** Proposed since the last read, by slot. */
  private final TreeMap<Long, List<Batch>> undecoded = new TreeMap<>();

  private final PendingWrites pendingWrites = new PendingWrites();

  /**
   * @param writeSet returns the keys that a command may write; a pure function
   */
  ProposedWrites(Function<ByteBuffer, KeyScope> writeSet) {
    this.writeSet = writeSet;
  }

  /** Records the write set of a batch. Called before the PROPOSAL can be sent (Q1). */
  void proposed(long slot, Batch batch) {
    undecoded.computeIfAbsent(slot, at -> new ArrayList<>(1)).add(batch);
  }

  /** Removes the write sets of slots up to {@code slot}, whatever their outcome was (Q5). */
  void executed(long slot) {
    undecoded.headMap(slot, true).clear();
    pendingWrites.settle(slot);
  }

  long pending(KeyScope scope) {
    undecoded.forEach((slot, batches) -> batches.forEach(batch -> decode(slot, batch)));
    undecoded.clear();
    return pendingWrites.highest(scope);
  }

  private void decode(long slot, Batch batch) {
    if (batch.body() instanceof Body.Reconfiguration) {
      // A configuration change writes all keys (Q7).
      pendingWrites.note(slot, KeyScope.range(KeyRange.ALL));
    } else {
      for (ByteBuffer command : ((Body.Commands) batch.body()).commands()) {
        pendingWrites.note(slot, writeSet.apply(command));
      }
    }
  }
}
