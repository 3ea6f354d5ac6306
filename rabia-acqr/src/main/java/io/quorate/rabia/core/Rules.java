package io.quorate.rabia.core;

import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Configuration;

/**
 * The rules on which safety depends, in one place, with their numbers in docs/protocols.md.
 * Replicas use {@link #PROTOCOL}; tests derive other sets to show that the simulator detects the
 * violations.
 */
class Rules {
  static final Rules PROTOCOL = new Rules();

  /** P0: whether a replica counts its own messages before they are durable. */
  boolean countsOwnVolatile() {
    return false;
  }

  /** C2: whether a repeated message counts again. */
  boolean countsRepeated() {
    return false;
  }

  /** C5: the number of equal votes that decide. */
  int decidingVotes(Configuration members) {
    return members.faults() + 1;
  }

  /** C6: the candidate after a message with the candidate {@code received}. */
  BatchId adopt(BatchId known, BatchId received) {
    return known.isNone() ? received : known;
  }

  /** C7: the number of equal proposals or states that decide immediately. */
  int unanimity(Configuration members) {
    return members.size();
  }

  /** O4: the first slot that an owner may use freely after a restart. */
  long firstUnused(long reservedEnd, long executed) {
    return reservedEnd;
  }

  /**
   * Q1: whether the write set of another replica's batch is recorded when the batch is proposed.
   */
  boolean recordsEchoedWrites() {
    return true;
  }

  /** Q4: whether the write sets of proposals in the log are recorded as pending. */
  boolean recordsReplayedWrites() {
    return true;
  }
}
