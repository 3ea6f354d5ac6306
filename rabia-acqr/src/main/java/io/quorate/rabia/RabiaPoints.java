package io.quorate.rabia;

import io.quorate.common.Failpoint;

/** Failpoints in the log of a replica; the subject is the {@code LogIdentity} of the log. */
public final class RabiaPoints {
  /** A group of records is encoded; none of its bytes is in the file. */
  public static final Failpoint BEFORE_WRITE = Failpoint.named("rabia.log.before-write");

  /** The operating system has the group of records; the disk may not have it. */
  public static final Failpoint AFTER_WRITE = Failpoint.named("rabia.log.after-write");

  public static final Failpoint BEFORE_SYNC = Failpoint.named("rabia.log.before-sync");

  /** Records are durable, and this is not reported yet. */
  public static final Failpoint AFTER_SYNC = Failpoint.named("rabia.log.after-sync");

  /** A segment is full and durable; the next one does not exist. */
  public static final Failpoint BEFORE_ROLL = Failpoint.named("rabia.log.before-roll");

  /** The next segment exists and holds no record. */
  public static final Failpoint AFTER_ROLL = Failpoint.named("rabia.log.after-roll");

  /** A segment is about to be deleted; reached for each one. */
  public static final Failpoint BEFORE_DELETE = Failpoint.named("rabia.log.before-delete");

  /** The segment is deleted durably. */
  public static final Failpoint AFTER_DELETE = Failpoint.named("rabia.log.after-delete");

  /** A new member has caught up, and the change of members is not proposed yet. */
  public static final Failpoint CAUGHT_UP = Failpoint.named("rabia.members.caught-up");

  /** A change of members is decided, and in force some slots later; reached at each member. */
  public static final Failpoint CHANGE_DECIDED = Failpoint.named("rabia.members.decided");

  /** The members have changed, and this is not reported yet. */
  public static final Failpoint CHANGED = Failpoint.named("rabia.members.changed");

  private RabiaPoints() {}
}
