package io.quorate.consensus;

/**
 * How recent the state must be that a read reflects. A read states the guarantee it needs; the
 * engine and its settings determine the protocol that provides it.
 */
public sealed interface Guarantee {

  /** The read reflects every write acknowledged before it began. Does not depend on clocks. */
  record Linearizable() implements Guarantee {}

  /**
   * As {@link Linearizable}, provided that the rates of the replicas' clocks differ by no more than
   * {@link Capabilities#clockDrift()}. Served as {@link Linearizable} where no clock is needed.
   */
  record LinearizableIfClocksBounded() implements Guarantee {}

  /**
   * The read reflects every write up to {@code position}. It may miss newer writes of other
   * clients.
   */
  record AtLeast(Position position) implements Guarantee {}

  /** The read reflects the state that this replica has applied, which may be arbitrarily old. */
  record Local() implements Guarantee {}

  Guarantee LINEARIZABLE = new Linearizable();
  Guarantee LINEARIZABLE_IF_CLOCKS_BOUNDED = new LinearizableIfClocksBounded();
  Guarantee LOCAL = new Local();
}
