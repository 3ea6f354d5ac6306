package io.quorate.replication.coded;

import io.quorate.common.Budget;

/**
 * The bounds on the memory of bodies, which all groups of a node share.
 *
 * @param outgoing bodies that this node replicates as a leader, with their parity
 * @param incoming fragments and copies that it receives
 * @param reads bodies that it reads or restores
 * @param recoveries admits what reads and restorations fetch from other nodes
 */
record BodyBudgets(Budget outgoing, Budget incoming, Budget reads, RecoveryQueue recoveries) {
  static BodyBudgets of(CodedSettings settings) {
    int bodies = settings.inFlight().max();
    long bytes = settings.inFlight().bytesMax();
    return new BodyBudgets(
        new Budget(bodies, bytes),
        new Budget(bodies, bytes),
        new Budget(bodies, bytes),
        new RecoveryQueue(bytes));
  }
}
