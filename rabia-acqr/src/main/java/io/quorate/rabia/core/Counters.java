package io.quorate.rabia.core;

/**
 * The counters of a replica since its creation. Written by the thread that steps the replica; other
 * threads may read a slightly stale value.
 */
public final class Counters {
  // Slots by the path of their decision at this replica.
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

  /** Slots decided by a skip of their owner, be it this replica or another one. */
  public long skips() {
    return skips;
  }

  /** Slots whose decision was learned from another replica or, at a restart, from the log. */
  public long learned() {
    return learned;
  }

  /** Slots decided at this replica, by any path. */
  public long decided() {
    return unanimousProposals + unanimousStates + votes + skips + learned;
  }

  /** Slots decided null. */
  public long nulls() {
    return nulls;
  }

  /** Batches delivered to the state machine. */
  public long batches() {
    return batches;
  }

  /** Batches that won a second slot and were not executed again. */
  public long duplicates() {
    return duplicates;
  }

  /** Phases started by a STATE. */
  public long phases() {
    return phases;
  }

  /** Own batches that lost their slot and were reissued. */
  public long nulledOwn() {
    return nulledOwn;
  }

  /** Slots in which this replica proposed ⊥. */
  public long abstentions() {
    return abstentions;
  }

  /** Messages sent, counted once per receiver. */
  public long messages() {
    return messages;
  }

  /** Slots whose messages were resent. */
  public long repeated() {
    return repeated;
  }

  /** Messages dropped because their slot is beyond the window (T4). */
  public long beyondWindow() {
    return beyondWindow;
  }

  /** Messages dropped because their sender or epoch does not decide the slot. */
  public long foreign() {
    return foreign;
  }

  /** Bodies dropped for lack of capacity; they are fetched when their slot is next. */
  public long bodiesDropped() {
    return bodiesDropped;
  }

  /**
   * Messages that contradict an earlier one of the same sender (C2). Any value but 0 means that a
   * replica is faulty.
   */
  public long conflicts() {
    return conflicts;
  }

  /**
   * Coins of value one while no candidate was known (C5). Always 0, because the case is impossible.
   */
  public long coinsWithoutCandidate() {
    return coinsWithoutCandidate;
  }
}
