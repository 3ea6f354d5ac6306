package io.quorate.consensus.quorum;

import io.quorate.consensus.Position;

/** What shares amount to. */
public sealed interface Merged<V> {

  /** Not enough shares yet: wait for more. */
  record Incomplete<V>() implements Merged<V> {}

  /** The configuration changed under the read: take all shares anew (Q7, L8). */
  record StartOver<V>() implements Merged<V> {}

  /**
   * The read is done.
   *
   * @param at the position of the state it was read from
   */
  record Answer<V>(Position at, V value) implements Merged<V> {}

  /**
   * Any replica whose state covers {@code barrier} may answer, if {@link
   * ShareMerge#stillValid(long, long)} of the epochs.
   *
   * @param epoch of the configuration that the shares are of
   */
  record Wait<V>(long epoch, Position barrier) implements Merged<V> {}
}
