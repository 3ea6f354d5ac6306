package io.quorate.server.placement;

import io.quorate.model.Key;

/** What is to become of a region that is large or busy. */
sealed interface SplitVerdict {
  /** Why; no sentence. */
  String reason();

  /**
   * The region is split.
   *
   * @param at the first key of the new region
   */
  record Divided(Key at, String reason) implements SplitVerdict {}

  /** The region stays as it is. */
  record Whole(String reason) implements SplitVerdict {}
}
