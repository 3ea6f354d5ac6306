package io.quorate.rabia.core;

import io.quorate.consensus.KeyScope;
import io.quorate.consensus.NodeId;
import io.quorate.consensus.Position;
import io.quorate.rabia.protocol.BatchId;
import io.quorate.rabia.protocol.Checkpoint;
import io.quorate.rabia.protocol.Configuration;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

/**
 * Rules broken on purpose, each of which the simulator must notice. Some are of the core, some of
 * whoever drives it.
 */
public enum Mutation {
  NONE(Rules.PROTOCOL),

  /** P0 off: one's own volatile message counts. */
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

  /** C2 off: messages are counted, not senders. */
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

  /** C5 with one vote less. */
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

  /** C6 off: no candidate is carried; as published. */
  NO_CANDIDATE_CARRIED(
      new Rules() {
        @Override
        BatchId adopt(BatchId known, BatchId received) {
          return known;
        }
      },
      "(4)",
      "(12)"),

  /** C7 with q messages, where the artifact stops. */
  QUORUM_IS_UNANIMOUS(
      new Rules() {
        @Override
        int unanimity(Configuration members) {
          return members.quorum();
        }
      },
      "(1)"),

  /** O4 off: own slots that an earlier run may have used are used again, or skipped. */
  LOST_CONTENT_IS_SKIPPED(
      new Rules() {
        @Override
        long firstUnused(long reservedEnd, long executed) {
          return executed + 1;
        }
      },
      "(1)",
      "(10)"),

  /** Q1 as in the paper: noted only where the client's write arrives. */
  PAPER_NOTES_WHERE_WRITES_ARRIVE(
      new Rules() {
        @Override
        boolean recordsEchoedWrites() {
          return false;
        }
      },
      "(14)",
      "linearizability"),

  /** Q4 off. */
  RESTART_FORGETS_INTENTS(
      new Rules() {
        @Override
        boolean recordsReplayedWrites() {
          return false;
        }
      },
      "(14)",
      "linearizability"),

  /** Of the reader, Q3 without x. */
  BARRIER_WITHOUT_APPLIED(Rules.PROTOCOL, "(14)", "linearizability"),

  /** Of the reader: one share is enough. */
  ONE_SHARE_ANSWERS(Rules.PROTOCOL, "(14)", "linearizability"),

  /** Of the driver, P0 off: proposals leave before they are durable. */
  VOLATILE_PROPOSALS_LEAVE(Rules.PROTOCOL, "(1)", "(2)", "(5)"),

  /** Of the log: votes are lost by a crash, and computed again. */
  VOTES_ARE_LOST(Rules.PROTOCOL, "(1)", "(2)", "(3)"),

  /** Of the log: states are lost by a crash, and computed again. */
  STATES_ARE_LOST(Rules.PROTOCOL, "(1)", "(2)", "(3)"),

  /** Of the log: states are lost by a crash, and what was voted on them is called undecided. */
  LOST_STATES_VOTE_UNDECIDED(Rules.PROTOCOL, "(1)", "(3)", "(4)", "(5)", "(12)"),

  /** Of the log: fsync does nothing, so that proposals are made again. */
  PROPOSALS_ARE_LOST(Rules.PROTOCOL, "(1)", "(2)", "(5)");

  private final Rules rules;
  private final List<String> foundAs;

  Mutation(Rules rules, String... foundAs) {
    this.rules = rules;
    this.foundAs = List.of(foundAs);
  }

  /** The obligations that may be the first to fail. */
  public List<String> foundAs() {
    return foundAs;
  }

  /** A replica that goes by these rules. */
  public Replica replica(
      NodeId self,
      Settings settings,
      Checkpoint start,
      Position stateDurable,
      Function<ByteBuffer, KeyScope> writeSet,
      Coin coin) {
    return new Replica(self, settings, start, stateDurable, writeSet, coin, rules);
  }
}
