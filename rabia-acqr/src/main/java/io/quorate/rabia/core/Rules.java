package io.quorate.rabia.core;

import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Configuration;

/**
 * The rules that safety hangs on, in one place and by their numbers in the protocol's description.
 * There is one set of them; tests derive others to show that the simulator notices.
 */
class Rules {
  static final Rules PROTOCOL = new Rules();

  /** P0: whether a replica counts what it said before that is durable. */
  boolean countsOwnVolatile() {
    return false;
  }

  /** C2: whether a message that comes again counts again. */
  boolean countsRepeated() {
    return false;
  }

  /** C5: how many equal votes decide. */
  int decidingVotes(Configuration members) {
    return members.faults() + 1;
  }

  /** C6: the candidate after hearing of one. */
  BatchId adopt(BatchId known, BatchId heard) {
    return known.isNone() ? heard : known;
  }

  /** C7: how many equal proposals or states decide at once. */
  int unanimity(Configuration members) {
    return members.size();
  }

  /** O4: the first slot an owner may use freely after a restart. */
  long firstUnused(long reservedEnd, long executed) {
    return reservedEnd;
  }

  /** Q1: whether a slot's share is noted when another replica's batch is proposed. */
  boolean notesEchoes() {
    return true;
  }

  /** Q4: whether proposals found in the log count as pending. */
  boolean notesReplayed() {
    return true;
  }
}
