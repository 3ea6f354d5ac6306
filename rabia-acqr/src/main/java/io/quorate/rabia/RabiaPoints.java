package io.quorate.rabia;

import io.quorate.common.Failpoint;

/** Failpoints of a replica; the subject is what changes. */
public final class RabiaPoints {
  /** A new member has caught up, and the change of members is not proposed yet. */
  public static final Failpoint CAUGHT_UP = Failpoint.named("rabia.members.caught-up");

  /** A change of members is decided, and in force some slots later; reached at each member. */
  public static final Failpoint CHANGE_DECIDED = Failpoint.named("rabia.members.decided");

  /** The members have changed, and this is not reported yet. */
  public static final Failpoint CHANGED = Failpoint.named("rabia.members.changed");

  private RabiaPoints() {}
}
