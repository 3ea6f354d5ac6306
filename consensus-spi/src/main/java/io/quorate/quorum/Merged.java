package io.quorate.quorum;

import io.quorate.model.Position;

/** The outcome of a merge of read replies. */
public sealed interface Merged<V> {

  /**
   * The kinds of outcomes, one for each record. A switch expression over them compiles only if it
   * covers every outcome.
   */
  enum Kind {
    INCOMPLETE,
    START_OVER,
    VALUE,
    WAIT
  }

  Kind kind();

  /** There is no quorum of replies yet; more replies are needed. */
  record Incomplete<V>() implements Merged<V> {
    @Override
    public Kind kind() {
      return Kind.INCOMPLETE;
    }
  }

  /**
   * The replies are of different configurations: the read must discard them and request new ones
   * (Q7, L8).
   */
  record StartOver<V>() implements Merged<V> {
    @Override
    public Kind kind() {
      return Kind.START_OVER;
    }
  }

  /**
   * The replies contain the result of the read.
   *
   * @param at the position of the state from which the value was read
   */
  record Value<V>(Position at, V value) implements Merged<V> {
    @Override
    public Kind kind() {
      return Kind.VALUE;
    }
  }

  /**
   * The read must wait for the barrier. The value may be read at any replica whose state covers
   * {@code barrier} and for whose epoch {@link QuorumMerge#stillValid(long, long)} holds.
   *
   * @param epoch the epoch of the configuration of the replies
   */
  record Wait<V>(long epoch, Position barrier) implements Merged<V> {
    @Override
    public Kind kind() {
      return Kind.WAIT;
    }
  }
}
