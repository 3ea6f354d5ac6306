package io.quorate.ratis;

import io.quorate.common.Failpoint;
import org.apache.ratis.proto.RaftProtos.RaftConfigurationProto;

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

  /**
   * After an entry is committed, before it is delivered to the state machine; the subject is the
   * member of the group.
   */
  static final Failpoint BEFORE_HAND_OVER = Failpoint.named("raft.commit.before-hand-over");

  static final Failpoint BEFORE_PURGE = Failpoint.named("raft.purge.before");
  static final Failpoint AFTER_PURGE = Failpoint.named("raft.purge.after");

  /** Before the leader passes a change of members to Ratis. */
  static final Failpoint BEFORE_CHANGE = Failpoint.named("raft.members.before-change");

  /** A configuration of the former and the new members is committed; reached at each member. */
  static final Failpoint JOINT_COMMITTED = Failpoint.named("raft.members.joint-committed");

  /** A configuration of the new members alone is committed; reached at each member. */
  static final Failpoint MEMBERS_COMMITTED = Failpoint.named("raft.members.committed");

  /** The members have changed, and this is not reported yet. */
  static final Failpoint CHANGED = Failpoint.named("raft.members.changed");

  private RaftPoints() {}

  /** The point that a replica passes when a configuration is committed. */
  static Failpoint committed(RaftConfigurationProto configuration) {
    return configuration.getOldPeersCount() > 0 ? JOINT_COMMITTED : MEMBERS_COMMITTED;
  }
}
