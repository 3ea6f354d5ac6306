package io.quorate.storage.split;

/** A broken rule of splits that the model must find. */
enum SplitMutation {
  /** The sessions of a child begin without the floor of the parent's. */
  MIN_FLOOR,

  /** A child begins without sessions. */
  SESSION_NOT_COPIED,

  /** The sessions of a child were last active at a position of the parent. */
  LAST_ACTIVE_COPIED,

  /** A command of a key that has left the region passes the session check first. */
  RANGE_CHECK_AFTER_SESSION,

  /** The group of a child is opened before the state with the child is durable. */
  OPEN_WITHOUT_BASE,

  /** A client begins to write to a child with a floor above older writes to its parent. */
  NO_FLOOR_CAP,

  /** A client begins to write to a child without counting the results of the parent. */
  WINDOW_NOT_INHERITED
}
