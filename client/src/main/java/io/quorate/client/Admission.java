package io.quorate.client;

/** What a client does with a call beyond the calls that may wait for admission. */
public enum Admission {
  /** The call fails at once with {@link OverloadedException}. */
  FAIL,
  /**
   * A call that blocks its caller waits for room, until its deadline. Eight times as many
   * asynchronous calls wait as otherwise, with the same bytes; beyond that such a call fails at
   * once with {@link OverloadedException}, since it can neither block nor keep without a bound what
   * it is to send. The deadline of a call includes the time for which it waits.
   */
  WAIT
}
