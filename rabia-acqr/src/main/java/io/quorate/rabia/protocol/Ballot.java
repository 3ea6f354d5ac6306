package io.quorate.rabia.protocol;

/** What a VOTE says. */
public enum Ballot {
  ZERO,
  ONE,
  /** "?": neither value had a majority of the states seen. */
  UNDECIDED;

  public static Ballot of(boolean one) {
    return one ? ONE : ZERO;
  }
}
