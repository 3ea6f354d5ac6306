package io.quorate.ratis;

import io.quorate.failpoint.Failpoint;

/**
 * Where tests make a replica fail; the subject is the group. Those of messages between replicas are
 * with the fences, those of snapshots with {@link SnapshotInstallation}.
 */
final class RaftPoints {
  /** A leader hands an entry to Ratis. */
  static final Failpoint BEFORE_PROPOSE = Failpoint.named("raft.propose.before");

  /** Ratis has taken it. */
  static final Failpoint AFTER_PROPOSE = Failpoint.named("raft.propose.after");

  /** Entries are in the log's buffers, and the fsync that makes them durable is next. */
  static final Failpoint BEFORE_SYNC = Failpoint.named("raft.log.before-sync");

  /** An entry is committed, and the state machine does not know. */
  static final Failpoint BEFORE_HAND_OVER = Failpoint.named("raft.commit.before-hand-over");

  static final Failpoint BEFORE_PURGE = Failpoint.named("raft.purge.before");
  static final Failpoint AFTER_PURGE = Failpoint.named("raft.purge.after");

  private RaftPoints() {}
}
