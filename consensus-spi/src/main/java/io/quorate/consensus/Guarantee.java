package io.quorate.consensus;

/** What a read may rely on. A read names the guarantee it needs, never a technique. */
public sealed interface Guarantee {

  /** Sees every write acknowledged before the read began. Depends on no clock. */
  record Linearizable() implements Guarantee {}

  /**
   * As {@link Linearizable}, provided that the clocks of the replicas advance at rates that differ
   * by no more than the drift stated in the engine's {@linkplain Capabilities capabilities}.
   * Whoever need not rely on clocks to serve it serves it as {@link Linearizable}.
   */
  record LinearizableIfClocksBounded() implements Guarantee {}

  /**
   * Sees at least everything up to {@code position}; another client's newer write may be missing.
   */
  record AtLeast(Position position) implements Guarantee {}

  /** Whatever this replica has applied. May be arbitrarily old. */
  record Local() implements Guarantee {}

  Guarantee LINEARIZABLE = new Linearizable();
  Guarantee LINEARIZABLE_IF_CLOCKS_BOUNDED = new LinearizableIfClocksBounded();
  Guarantee LOCAL = new Local();
}
