package io.quorate.rabia.protocol;

import java.util.Optional;

/**
 * The outcome of a slot.
 *
 * @param id the batch, or {@link BatchId#NONE} for null
 * @param batch the batch itself, if the sender has it
 */
public record Decided(BatchId id, Optional<Batch> batch) {
  public static final Decided NULL = new Decided(BatchId.NONE, Optional.empty());
}
