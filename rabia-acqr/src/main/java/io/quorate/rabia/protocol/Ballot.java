package io.quorate.rabia.protocol;

/** The value of a VOTE. */
public enum Ballot {
  ZERO,
  ONE,
  /** "?": neither value had a majority of the received states. */
  UNDECIDED;

  public static Ballot of(boolean one) {
    return one ? ONE : ZERO;
  }
}
