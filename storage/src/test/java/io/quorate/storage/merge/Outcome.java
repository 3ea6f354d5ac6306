package io.quorate.storage.merge;

/** What a command did. */
enum Outcome {
  EXECUTED,
  REPEATED,
  FORGOTTEN,
  BEYOND_WINDOW,
  OUT_OF_RANGE,
  /** The region changed its shape. */
  RESHAPED,
  /** A split or merge had no effect. */
  UNCHANGED
}
