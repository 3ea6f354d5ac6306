package io.quorate.rabia.core;

/**
 * What a replica has counted since it was made. Written by the thread that steps the replica; other
 * threads may read a value that is a little old.
 */
public final class Counters {
  // Slots by how this replica came to know their decision.
  long unanimousProposals;
  long unanimousStates;
  long votes;
  long skips;
  long learned;

  long nulls;
  long batches;
  long duplicates;
  long phases;
  long nulledOwn;
  long abstentions;
  long messages;
  long repeated;
  long beyondWindow;
  long foreign;
  long bodiesDropped;
  long conflicts;
  long coinsWithoutCandidate;

  /** Slots decided by n equal proposals: the fast path. */
  public long unanimousProposals() {
    return unanimousProposals;
  }

  /** Slots decided by n equal states. */
  public long unanimousStates() {
    return unanimousStates;
  }

  /** Slots decided by votes. */
  public long votes() {
    return votes;
  }

  /** Slots decided by their owner's skip, here or there. */
  public long skips() {
    return skips;
  }

  /** Slots whose decision another replica told. */
  public long learned() {
    return learned;
  }

  /** Slots decided here, however that was. */
  public long decided() {
    return unanimousProposals + unanimousStates + votes + skips + learned;
  }

  /** Slots decided null. */
  public long nulls() {
    return nulls;
  }

  /** Batches handed to the state machine. */
  public long batches() {
    return batches;
  }

  /** Batches that won a second slot and were passed over. */
  public long duplicates() {
    return duplicates;
  }

  /** Phases begun by a STATE. */
  public long phases() {
    return phases;
  }

  /** Own batches that lost their slot and were issued again. */
  public long nulledOwn() {
    return nulledOwn;
  }

  /** Slots in which this replica proposed ⊥. */
  public long abstentions() {
    return abstentions;
  }

  /** Messages sent, one for each receiver. */
  public long messages() {
    return messages;
  }

  /** Slots whose messages were repeated. */
  public long repeated() {
    return repeated;
  }

  /** Messages dropped because their slot is too far ahead (T4). */
  public long beyondWindow() {
    return beyondWindow;
  }

  /** Messages dropped because their sender or epoch does not decide the slot. */
  public long foreign() {
    return foreign;
  }

  /** Bodies dropped for want of room; they are fetched when their slot is next. */
  public long bodiesDropped() {
    return bodiesDropped;
  }

  /** Messages that contradict an earlier one of the same sender (C2). Not 0: a replica lies. */
  public long conflicts() {
    return conflicts;
  }

  /** Coins that came up one where no candidate was known (C5). Cannot happen. */
  public long coinsWithoutCandidate() {
    return coinsWithoutCandidate;
  }
}
