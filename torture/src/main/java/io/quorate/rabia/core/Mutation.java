package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.model.NodeId;
import io.quorate.model.Position;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/**
 * Protocol rules that are broken on purpose, each of which the simulator must detect. Some are
 * rules of the core, others of its driver, of its log or of a reader.
 */
public enum Mutation {
  NONE(Rules.PROTOCOL),

  /** P0 off: a replica counts its own messages before they are durable. */
  OWN_VOLATILE_COUNTS(
      new Rules() {
        @Override
        boolean countsOwnVolatile() {
          return true;
        }
      },
      "(1)",
      "(5)",
      "(6)"),

  /** C2 off: messages are counted, not their senders. */
  REPEATED_MESSAGES_COUNT(
      new Rules() {
        @Override
        boolean countsRepeated() {
          return true;
        }
      },
      "(1)",
      "(3)",
      "(4)",
      "(5)"),

  /** C5 with one vote too few. */
  FEWER_VOTES_DECIDE(
      new Rules() {
        @Override
        int decidingVotes(Configuration members) {
          return Math.max(1, members.faults());
        }
      },
      "(1)",
      "(3)",
      "(5)",
      "(12)"),

  /** C6 off, as published: a replica does not learn the candidate from received messages. */
  NO_CANDIDATE_CARRIED(
      new Rules() {
        @Override
        BatchId adopt(BatchId known, BatchId received) {
          return known;
        }
      },
      "(4)",
      "(12)"),

  /** C7 with q equal messages instead of N, as in the published implementation. */
  QUORUM_IS_UNANIMOUS(
      new Rules() {
        @Override
        int unanimity(Configuration members) {
          return members.quorum();
        }
      },
      "(1)"),

  /** O4 off: after a restart, an owner uses or skips slots that an earlier run may have used. */
  LOST_CONTENT_IS_SKIPPED(
      new Rules() {
        @Override
        long firstUnused(long reservedEnd, long executed) {
          return executed + 1;
        }
      },
      "(1)",
      "(10)"),

  /**
   * Q1 as in the paper: only the replica that receives the client's write records it as pending.
   */
  PAPER_RECORDS_WHERE_WRITES_ARRIVE(
      new Rules() {
        @Override
        boolean recordsEchoedWrites() {
          return false;
        }
      },
      "(14)",
      "linearizability"),

  /** Q4 off: a restart does not record the pending writes in the log. */
  RESTART_DROPS_PENDING_WRITES(
      new Rules() {
        @Override
        boolean recordsReplayedWrites() {
          return false;
        }
      },
      "(14)",
      "linearizability"),

  /**
   * S3 off: a replica that returns to a node counts as the member that the former replica was. The
   * votes of that one are lost.
   */
  RETURNED_REPLICAS_ARE_MEMBERS(
      Rules.PROTOCOL, "(1)", "(2)", "(5)", "(10)", "(14)", "linearizability"),

  /**
   * A rule of the reader, Q3 without the applied positions: the highest pending slot is the
   * barrier.
   */
  BARRIER_WITHOUT_APPLIED(Rules.PROTOCOL, "(14)", "linearizability"),

  /** A rule of the reader: one read reply is a quorum. */
  ONE_REPLY_SUFFICES(Rules.PROTOCOL, "(14)", "linearizability"),

  /** A rule of the driver, P0 off: proposals are sent before they are durable. */
  VOLATILE_PROPOSALS_ARE_SENT(Rules.PROTOCOL, "(1)", "(2)", "(5)"),

  /** A rule of the log: a crash loses votes, which the replica then computes again. */
  VOTES_ARE_LOST(Rules.PROTOCOL, "(1)", "(2)", "(3)"),

  /** A rule of the log: a crash loses states and votes, which the replica then computes again. */
  STATES_ARE_LOST(Rules.PROTOCOL, "(1)", "(2)", "(3)"),

  /** A rule of the log: a crash replaces each state without a vote by an undecided vote. */
  LOST_STATES_VOTE_UNDECIDED(Rules.PROTOCOL, "(1)", "(3)", "(4)", "(5)", "(12)"),

  /** A rule of the log: fsync has no effect, so that proposals are lost and made again. */
  PROPOSALS_ARE_LOST(Rules.PROTOCOL, "(1)", "(2)", "(5)");

  private final Rules rules;
  private final List<String> violations;

  Mutation(Rules rules, String... violations) {
    this.rules = rules;
    this.violations = List.of(violations);
  }

  /**
   * The invariants, any of which may be the first that is violated: numbers of the table in
   * docs/protocols.md, or "linearizability".
   */
  public List<String> violations() {
    return violations;
  }

  /** Creates a replica that follows these rules. */
  public Replica replica(
      NodeId self,
      long firstEpoch,
      Settings settings,
      Checkpoint start,
      Position stateDurable,
      Function<ByteBuffer, KeyScope> writeSet,
      Coin coin) {
    long first = this == RETURNED_REPLICAS_ARE_MEMBERS ? 0 : firstEpoch;
    return new Replica(self, first, settings, start, stateDurable, writeSet, coin, rules);
  }
}
