package io.quorate.rabia.core;

import io.quorate.consensus.KeyRange;
import io.quorate.consensus.KeyScope;
import io.quorate.consensus.quorum.WriteIntents;
import io.quorate.rabia.protocol.Batch;
import io.quorate.rabia.protocol.Body;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** What this replica has proposed and not executed, by key (Q1, Q4). */
final class ReadShares {
  private final Function<ByteBuffer, KeyScope> footprint;
  private final WriteIntents intents = new WriteIntents();

  /**
   * @param footprint which keys a command may write; pure
   */
  ReadShares(Function<ByteBuffer, KeyScope> footprint) {
    this.footprint = footprint;
  }

  /** Called before the PROPOSAL can leave (Q1). */
  void proposed(long slot, Batch batch) {
    if (batch.body() instanceof Body.Commands commands) {
      for (ByteBuffer command : commands.commands()) {
        intents.note(slot, footprint.apply(command));
      }
    } else {
      // Q7: a configuration writes all keys.
      intents.note(slot, KeyScope.range(KeyRange.ALL));
    }
  }

  /** Whatever became of slots up to here, they are executed (Q5). */
  void executed(long slot) {
    intents.settle(slot);
  }

  long pending(KeyScope scope) {
    return intents.highest(scope);
  }
}
