package io.quorate.storage.merge;

/** A broken rule of merges that the model must find. */
enum MergeMutation {
  /** The floor of a client is the lower one of its two. */
  LOWER_FLOOR,

  /** A region absorbs the rows of another one without its sessions. */
  SESSIONS_NOT_ABSORBED,

  /** The replica of a region that was absorbed on its node applies its log further. */
  REPLICA_BEHIND_KEEPS_WRITING,

  /** The contents to be absorbed are read from a replica that has not applied the freeze. */
  ABSORB_BEFORE_FREEZE,

  /** A region absorbs another one again, whatever the number of the merge. */
  LATE_ABSORB_APPLIES,

  /** A region is frozen after its merge was given up. */
  LATE_FREEZE_APPLIES,

  /** A merge is given up although the frozen region is not too large. */
  GIVE_UP_ON_TIMEOUT,

  /** A merge is given up because the region is too large at a replica that is not frozen. */
  GIVE_UP_BEFORE_FREEZE,

  /** A command of a key that the region does not have passes the session check first. */
  RANGE_CHECK_AFTER_SESSION,

  /** A region that begins with keys of another one is obsolete, whatever its number. */
  NUMBERS_NOT_COMPARED,

  /** A client sends a write in doubt with a new number. */
  NEW_NUMBER_IN_DOUBT,

  /** A region that removes sessions goes on to accept requests from before their activity. */
  FENCE_NOT_RAISED,

  /** A child begins without the fence of its parent. */
  FENCE_NOT_INHERITED,

  /** A child excludes no calls of sessions that it does not inherit. */
  NOT_INHERITED_NOT_FENCED,

  /** A region removes a session as soon as it has ended, without a fence. */
  ENDED_FORGOTTEN,

  /** A region absorbs another one without its fence. */
  FENCE_NOT_ABSORBED,

  /**
   * A client sends the position that it knows at each attempt, not that of the begin of the call.
   */
  POSITION_OF_ATTEMPT,

  /** A write has failed when a region refuses it because the window of its client is full. */
  REFUSED_BEYOND_WINDOW
}
