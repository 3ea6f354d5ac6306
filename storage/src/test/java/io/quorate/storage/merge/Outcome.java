package io.quorate.storage.merge;

/** What a command did. */
enum Outcome {
  EXECUTED,
  REPEATED,
  FORGOTTEN,
  BEYOND_WINDOW,
  OUT_OF_RANGE,
  /** The session of the request may have been removed. */
  OUTDATED,
  /** Sessions were removed, or one has ended. */
  EXPIRED,
  /** The region changed its shape. */
  RESHAPED,
  /** A split or merge had no effect. */
  UNCHANGED
}
