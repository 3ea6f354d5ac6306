package io.quorate.ratis;

import io.quorate.common.Failpoint;

/**
 * The failpoints at which tests make a replica fail; the subject is the group. Failpoints of
 * messages between replicas are in {@code guards}, those of snapshots in {@link
 * SnapshotInstallation}.
 */
final class RaftPoints {
  /** Before a leader passes an entry to Ratis. */
  static final Failpoint BEFORE_PROPOSE = Failpoint.named("raft.propose.before");

  /** After Ratis has received the entry. */
  static final Failpoint AFTER_PROPOSE = Failpoint.named("raft.propose.after");

  /** Before the fsync that makes entries in the log's buffers durable. */
  static final Failpoint BEFORE_SYNC = Failpoint.named("raft.log.before-sync");

  /** After an entry is committed, before it is delivered to the state machine. */
  static final Failpoint BEFORE_HAND_OVER = Failpoint.named("raft.commit.before-hand-over");

  static final Failpoint BEFORE_PURGE = Failpoint.named("raft.purge.before");
  static final Failpoint AFTER_PURGE = Failpoint.named("raft.purge.after");

  private RaftPoints() {}
}
